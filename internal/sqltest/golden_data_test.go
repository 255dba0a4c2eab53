package sqltest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/firndb/firn/catalog"
)

// TestOrcIsRefused wants an error that names the file and its format.
func TestOrcIsRefused(t *testing.T) {
	session := Start(t, catalog.Hooks{})
	for _, prepared := range []bool{false, true} {
		_, err := session.Query(t.Context(), "SELECT * FROM `lake.ops`.formats_orc", prepared)
		text := fmt.Sprint(err)
		for _, part := range []string{"1235", "wh/ops/formats_orc/data/", ".orc", "format ORC"} {
			if !strings.Contains(text, part) {
				t.Errorf("error %q does not contain %q", text, part)
			}
		}
	}
}

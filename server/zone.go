package server

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
)

// SetSessionVariable implements sql.Session. A time zone that is none is
// refused here, as in MySQL, not by the statements that need it.
func (s *session) SetSessionVariable(ctx *sql.Context, name string, value any) error {
	if zone, ok := value.(string); ok && strings.EqualFold(name, "time_zone") {
		if _, err := parseZone(zone); err != nil {
			return mysql.NewSQLError(mysql.ERUnknownTimeZone, mysql.SSUnknownSQLState, "Unknown or incorrect time zone: '%s'", zone)
		}
	}
	return s.BaseSession.SetSessionVariable(ctx, name, value)
}

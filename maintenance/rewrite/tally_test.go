package rewrite

import (
	"testing"

	"github.com/firndb/firn/maintenance"
)

// Groups that are planned anew are more work; what is done never goes back.
func TestTally(t *testing.T) {
	var last maintenance.Update
	env := maintenance.Env{Progress: func(u maintenance.Update) {
		if u.Done < last.Done || u.DoneBytes < last.DoneBytes || u.DoneBytes > u.TotalBytes {
			t.Errorf("%+v after %+v", u, last)
		}
		last = u
	}}
	x := newTally(env, 7)
	x.add(2, 100)
	x.advance(60)
	x.finished()
	x.advance(60)
	if last.Done != 1 || last.Total != 2 || last.DoneBytes != 100 || last.Files != 7 {
		t.Errorf("%+v", last)
	}
	x.add(1, 50)
	x.advance(30)
	x.finished()
	if last.Done != 3 || last.Total != 3 || last.DoneBytes != 130 || last.TotalBytes != 150 || last.Files != 7 {
		t.Errorf("%+v", last)
	}
}

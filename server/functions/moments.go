package functions

import (
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

func makeMoments(result func(*momentState) any) maker {
	return func(c call) (sql.Expression, error) {
		return c.aggregate(types.Float64, func() state { return &momentState{result: result} })
	}
}

// momentState has the central moments so far, by the method of Pébay.
type momentState struct {
	n, mean, m2, m3, m4 float64
	result              func(*momentState) any
}

func (s *momentState) add(_ *sql.Context, args []any) error {
	if args[0] == nil {
		return nil
	}
	x, err := real(args[0])
	if err != nil {
		return err
	}
	before := s.n
	s.n++
	delta := x - s.mean
	dn := delta / s.n
	term := delta * dn * before
	s.mean += dn
	s.m4 += term*dn*dn*(s.n*s.n-3*s.n+3) + 6*dn*dn*s.m2 - 4*dn*s.m3
	s.m3 += term*dn*(s.n-2) - 3*dn*s.m2
	s.m2 += term
	return nil
}

func (s *momentState) value(*sql.Context) (any, error) {
	if s.n == 0 {
		return nil, nil
	}
	return s.result(s), nil
}

func skewness(s *momentState) any {
	if s.m2 == 0 {
		return nil
	}
	return math.Sqrt(s.n) * s.m3 / math.Sqrt(s.m2*s.m2*s.m2)
}

func kurtosis(s *momentState) any {
	if s.m2 == 0 {
		return nil
	}
	return s.n*s.m4/(s.m2*s.m2) - 3
}

// makeSpread is one of the aggregates whose names the engine knows: it needs
// nothing around it.
func makeSpread(result func(*momentState) any) maker {
	return func(c call) (sql.Expression, error) {
		return c.grouped(types.Float64, func() state { return &momentState{result: result} })
	}
}

// sample is made of the variance of a sample, NULL of a single number.
func sample(s *momentState, of func(float64) float64) any {
	if s.n < 2 {
		return nil
	}
	return of(s.m2 / (s.n - 1))
}

func itself(x float64) float64 { return x }

func makePairs(result func(*pairState) any) maker {
	return func(c call) (sql.Expression, error) {
		return c.aggregate(types.Float64, func() state { return &pairState{result: result} })
	}
}

// pairState has the sums of the products of deviations so far.
type pairState struct {
	n, meanX, meanY, xx, yy, xy float64
	result                      func(*pairState) any
}

func (s *pairState) add(_ *sql.Context, args []any) error {
	if args[0] == nil || args[1] == nil {
		return nil
	}
	x, err := real(args[0])
	if err != nil {
		return err
	}
	y, err := real(args[1])
	if err != nil {
		return err
	}
	s.n++
	dx, dy := x-s.meanX, y-s.meanY
	s.meanX += dx / s.n
	s.meanY += dy / s.n
	s.xx += dx * (x - s.meanX)
	s.yy += dy * (y - s.meanY)
	s.xy += dx * (y - s.meanY)
	return nil
}

func (s *pairState) value(*sql.Context) (any, error) {
	if s.n == 0 {
		return nil, nil
	}
	return s.result(s), nil
}

func correlation(s *pairState) any {
	if s.xx == 0 || s.yy == 0 {
		return nil
	}
	return s.xy / math.Sqrt(s.xx*s.yy)
}

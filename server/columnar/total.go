package columnar

import (
	"math/big"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/shopspring/decimal"
)

// ExactSum is an aggregate that adds whole numbers of any size.
type ExactSum interface {
	sql.Aggregation
	// Summed is what is added.
	Summed() sql.Expression
}

// Total is a sum of whole numbers of any size. The zero value is that of none.
type Total struct {
	// small is the sum until it overflows, large what was carried over.
	small int64
	large *big.Int
	count int
}

// Add adds a number.
func (t *Total) Add(n int64) {
	t.count++
	sum := t.small + n
	if (n > 0) != (sum > t.small) && n != 0 {
		t.carry(big.NewInt(n))
		return
	}
	t.small = sum
}

// AddUnsigned adds a number that may be larger than a BIGINT.
func (t *Total) AddUnsigned(n uint64) {
	t.count++
	t.carry(new(big.Int).SetUint64(n))
}

func (t *Total) carry(n *big.Int) {
	if t.large == nil {
		t.large = new(big.Int)
	}
	t.large.Add(t.large, n)
}

// Count is how many numbers there were.
func (t *Total) Count() int { return t.count }

// Value is the sum as a BIGINT, NULL if there was no number. The error says that
// it is too large for one.
func (t *Total) Value() (any, error) {
	switch {
	case t.count == 0:
		return nil, nil
	case t.large == nil:
		return t.small, nil
	}
	sum := new(big.Int).Add(t.large, big.NewInt(t.small))
	if sum.IsInt64() {
		return sum.Int64(), nil
	}
	return nil, mysql.NewSQLError(mysql.ERDataOutOfRange, mysql.SSDataOutOfRange,
		"BIGINT value is out of range in SUM: the sum is %s; add CAST(… AS DECIMAL(38, 0)) instead", sum)
}

// Decimal is the sum as a decimal.
func (t *Total) Decimal() decimal.Decimal {
	sum := decimal.NewFromInt(t.small)
	if t.large != nil {
		sum = sum.Add(decimal.NewFromBigInt(t.large, 0))
	}
	return sum
}

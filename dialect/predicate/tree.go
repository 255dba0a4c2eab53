package predicate

// Expr is a node of the tree: Constant, Column, Call, Cast, Compare, In,
// IsNull, Like, And, Or or Not. All but Constant have at least one Column
// below them.
type Expr interface {
	// Text is the piece of the parsed text that the node was made from.
	Text() string
	node()
}

// span is the text of a node.
type span string

// Text implements Expr.
func (s span) Text() string { return string(s) }

func (span) node() {}

// Constant is a folded value. A condition that is NULL is never true.
type Constant struct {
	span
	Value Value
}

// Column is a column or a field of a struct, as a path of names as typed.
type Column struct {
	span
	Path []string
}

// Call is a function, or an arithmetic operator, with a column among its
// arguments.
type Call struct {
	span
	// Name is in lower case and without a catalog or "system" before it.
	Name string
	Args []Expr
}

// Cast is CAST(Arg AS Type).
type Cast struct {
	span
	Arg  Expr
	Type Type
}

// Op is a comparison operator.
type Op int

// The comparison operators. NullSafeEqual is <=>, which is true for two NULLs
// and never NULL.
const (
	Equal Op = iota
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual
	NullSafeEqual
)

// String is the operator as typed.
func (o Op) String() string {
	return [...]string{"=", "!=", "<", "<=", ">", ">=", "<=>"}[o]
}

// Negate is the operator that is true when o is false. NullSafeEqual has none.
func (o Op) Negate() Op {
	return [...]Op{NotEqual, Equal, GreaterEqual, Greater, LessEqual, Less, NullSafeEqual}[o]
}

// Flip is the operator with the operands exchanged.
func (o Op) Flip() Op {
	return [...]Op{Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual, NullSafeEqual}[o]
}

// holds tells whether the operator is true of operands that compare as c does
// to 0.
func (o Op) holds(c int) bool {
	switch o {
	case Equal, NullSafeEqual:
		return c == 0
	case NotEqual:
		return c != 0
	case Less:
		return c < 0
	case LessEqual:
		return c <= 0
	case Greater:
		return c > 0
	}
	return c >= 0
}

// Compare is Left Op Right. BETWEEN is two of them.
type Compare struct {
	span
	Op          Op
	Left, Right Expr
}

// In is Arg IN (List).
type In struct {
	span
	Arg  Expr
	List []Expr
}

// IsNull is Arg IS NULL.
type IsNull struct {
	span
	Arg Expr
}

// Like is Arg LIKE Pattern.
type Like struct {
	span
	Arg     Expr
	Pattern Pattern
}

// And, Or and Not are the connectives of SQL's three-valued logic.
type (
	// And is Left AND Right.
	And struct {
		span
		Left, Right Expr
	}
	// Or is Left OR Right.
	Or struct {
		span
		Left, Right Expr
	}
	// Not is NOT Arg.
	Not struct {
		span
		Arg Expr
	}
)

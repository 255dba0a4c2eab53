package dialect

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// arithmetic makes calls of the arithmetic operators whose meaning in Spark is
// another than in MySQL: / of whole numbers is a double, nothing may be divided
// by zero, and what is out of range is an error.
func arithmetic(stmt ast.Statement) error {
	return ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.AliasedExpr:
			operator(&n.Expr)
		case *ast.Where:
			if n != nil {
				operator(&n.Expr)
			}
		case *ast.Order:
			operator(&n.Expr)
		case ast.GroupBy:
			for i := range n {
				operator(&n[i])
			}
		case ast.JoinCondition:
			return true, nil
		case *ast.JoinTableExpr:
			operator(&n.Condition.On)
		case ast.Expr:
			operands(n)
		case *ast.When:
			operator(&n.Cond, &n.Val)
		}
		return true, nil
	}, stmt)
}

// operands replaces what an expression is made of.
func operands(e ast.Expr) {
	switch e := e.(type) {
	case *ast.AndExpr:
		operator(&e.Left, &e.Right)
	case *ast.OrExpr:
		operator(&e.Left, &e.Right)
	case *ast.XorExpr:
		operator(&e.Left, &e.Right)
	case *ast.NotExpr:
		operator(&e.Expr)
	case *ast.ParenExpr:
		operator(&e.Expr)
	case *ast.ComparisonExpr:
		operator(&e.Left, &e.Right)
	case *ast.RangeCond:
		operator(&e.Left, &e.From, &e.To)
	case *ast.IsExpr:
		operator(&e.Expr)
	case *ast.BinaryExpr:
		operator(&e.Left, &e.Right)
	case *ast.UnaryExpr:
		operator(&e.Expr)
	case *ast.IntervalExpr:
		operator(&e.Expr)
	case *ast.CollateExpr:
		operator(&e.Expr)
	case *ast.CaseExpr:
		operator(&e.Expr, &e.Else)
	case *ast.ConvertExpr:
		operator(&e.Expr)
	case *ast.SubstrExpr:
		operator(&e.From, &e.To)
	case *ast.TrimExpr:
		operator(&e.Pattern, &e.Str)
	case *ast.TimestampFuncExpr:
		operator(&e.Expr1, &e.Expr2)
	case *ast.ExtractFuncExpr:
		operator(&e.Expr)
	case ast.ValTuple:
		for i := range e {
			operator(&e[i])
		}
	}
}

// operator replaces each operand that is one of the operators.
func operator(operands ...*ast.Expr) {
	for _, operand := range operands {
		switch e := (*operand).(type) {
		case *ast.BinaryExpr:
			if function := operatorFunction(e.Operator); function != "" {
				*operand = funcExpr(function, e.Left, e.Right)
			}
		case *ast.UnaryExpr:
			if e.Operator == ast.TildaStr {
				*operand = funcExpr("bits_not", e.Expr)
			}
		}
	}
}

func funcExpr(name string, args ...ast.Expr) *ast.FuncExpr {
	f := &ast.FuncExpr{Name: ast.NewColIdent(name)}
	for _, arg := range args {
		f.Exprs = append(f.Exprs, &ast.AliasedExpr{Expr: arg})
	}
	return f
}

// operatorFunction returns the function that is an operator, or "".
func operatorFunction(operator string) string {
	switch strings.ToLower(operator) {
	case ast.PlusStr:
		return "plus"
	case ast.MinusStr:
		return "minus"
	case ast.MultStr:
		return "times"
	case ast.DivStr:
		return "divide"
	case ast.IntDivStr:
		return "divide_whole"
	case ast.ModStr:
		return "remainder"
	}
	return ""
}

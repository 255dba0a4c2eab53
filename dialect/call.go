package dialect

import (
	"strconv"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// argument is one argument of a call: tokens from to end-1.
type argument struct {
	name      string
	from, end int
}

// call makes CALL p(…) of the tokens from i on, where p's name begins.
func (s *statement) call(i int, explain bool) (ast.Statement, error) {
	end := len(s.toks)
	procedure, open := s.dotted(i, end)
	if len(procedure) == 0 {
		return nil, s.syntaxAt(s.tok(i), "the name of a procedure is expected")
	}
	if !s.tok(open).is("(") {
		return nil, s.syntaxAt(s.tok(open), "missing (")
	}
	j, err := s.closing(open, end)
	if err != nil {
		return nil, err
	}
	if j+1 < end {
		return nil, s.syntaxAt(s.tok(j+1), "the call ends before it")
	}
	args, err := s.callArguments(open+1, j)
	if err != nil {
		return nil, err
	}
	children, err := s.argumentValues(args)
	if err != nil {
		return nil, err
	}
	if s.unresolved != nil {
		return inject(failure{s.unresolved}, nil), nil
	}
	c := Call{Explain: explain, Procedure: procedure, ArgNames: make([]string, len(args))}
	for i, arg := range args {
		c.ArgNames[i] = arg.name
	}
	return ast.InjectedStatement{
		Statement: s.stmts.Call(c),
		Children:  children,
		Auth:      callAuth(c),
	}, nil
}

// callAuth is what the engine's own CALL carries: who has EXECUTE may call.
func callAuth(c Call) ast.AuthInformation {
	return ast.AuthInformation{
		AuthType:    ast.AuthType_CALL,
		TargetType:  ast.AuthTargetType_Ignore,
		TargetNames: []string{"", c.Procedure[len(c.Procedure)-1], strconv.Itoa(len(c.ArgNames))},
	}
}

// callArguments cuts the arguments between the parentheses of a call.
func (s *statement) callArguments(i, end int) ([]argument, error) {
	var args []argument
	for more := i < end; more; {
		arg := argument{from: i}
		if s.tok(i).isName() && s.tok(i+1).is("=>") {
			arg.name, arg.from = s.tok(i).val, i+2
		}
		arg.end = s.find(arg.from, end, func(j int) bool { return s.tok(j).is(",") || s.tok(j).is("=>") })
		if arg.from >= arg.end || s.tok(arg.end).is("=>") {
			return nil, s.syntaxAt(s.tok(min(arg.end, end)), "")
		}
		args = append(args, arg)
		more = arg.end < end
		i = arg.end + 1
	}
	return args, nil
}

// argumentValues parses the values of all arguments at once.
func (s *statement) argumentValues(args []argument) (ast.Exprs, error) {
	if len(args) == 0 {
		return nil, nil
	}
	out := pieces{{"SELECT ", s.toks[0].pos}}
	for i, arg := range args {
		value, err := s.expressions(arg.from, arg.end, nil)
		if err != nil {
			return nil, err
		}
		// The parentheses keep what is no expression, such as an alias, out.
		if i > 0 {
			out = append(out, piece{", ", s.tok(arg.from).pos})
		}
		out = append(out, value.wrap("(", ")")...)
	}
	stmt, err := s.parse(out.String())
	if err != nil {
		return nil, s.syntaxFrom(err, out)
	}
	sel, ok := stmt.(*ast.Select)
	if !ok || len(sel.SelectExprs) != len(args) {
		return nil, s.syntaxAt(s.tok(args[0].from), "values are expected")
	}
	values := make(ast.Exprs, len(args))
	for i, item := range sel.SelectExprs {
		aliased, ok := item.(*ast.AliasedExpr)
		if !ok {
			return nil, s.syntaxAt(s.tok(args[i].from), "a value is expected")
		}
		values[i] = aliased.Expr
		if paren, ok := aliased.Expr.(*ast.ParenExpr); ok {
			values[i] = paren.Expr
		}
	}
	return values, nil
}

package dialect

import ast "github.com/dolthub/vitess/go/vt/sqlparser"

// explain takes EXPLAIN, DESCRIBE and DESC, which are one word to MySQL: before
// a query or a call a plan is asked for, before a name its columns.
func (s *statement) explain() (ast.Statement, error) {
	i := 1
	for s.tok(i).is("extended") || s.tok(i).is("formatted") || s.tok(i).is("cost") || s.tok(i).is("codegen") {
		if !s.tok(i+1).isName() && !s.tok(i+1).is("(") {
			break
		}
		i++
	}
	switch {
	case s.tok(i).is("call"):
		return s.call(i+1, true)
	case s.isQuery(i, len(s.toks)):
		return s.explainQuery(i)
	case s.tok(i).is("query") && s.isQuery(i+1, len(s.toks)):
		return s.explainQuery(i + 1)
	case s.tok(i).is("format") && s.tok(i+1).is("="):
		return s.selection(i + 3)
	case s.tok(i).is("procedure") && s.tok(i+1).isName():
		name, next := s.dotted(i+1, len(s.toks))
		if next < len(s.toks) {
			return nil, s.syntaxAt(s.tok(next), "")
		}
		return inject(s.stmts.DescribeProcedure(name), nil), nil
	case (s.tok(i).is("namespace") || s.tok(i).is("database") || s.tok(i).is("schema")) && s.tok(i+1).isName():
		return s.describeNamespace(i + 1)
	}
	return s.describe(i, i > 1)
}

// explainQuery is EXPLAIN of the query at token i.
func (s *statement) explainQuery(i int) (ast.Statement, error) {
	out, err := s.query(i, len(s.toks), nil)
	if err != nil {
		return nil, err
	}
	return s.finish(append(pieces{{"EXPLAIN", s.toks[0].pos}}, out...))
}

// describe is DESCRIBE [TABLE] [EXTENDED] table [column]. Without a word that is
// Spark's alone the answer is MySQL's.
func (s *statement) describe(i int, extended bool) (ast.Statement, error) {
	end := len(s.toks)
	spark := extended && !s.tok(0).is("explain")
	if s.tok(i).is("table") && s.tok(i+1).isName() {
		i++
		spark = true
	}
	if (s.tok(i).is("extended") || s.tok(i).is("formatted")) && s.tok(i+1).isName() {
		i++
		extended = true
	}
	parts, next := s.dotted(i, end)
	if len(parts) == 0 {
		return s.native()
	}
	if spark && next == end {
		return inject(s.stmts.Describe(parts, extended), nil), nil
	}
	table, _ := s.tableName(i, next, &relation{parts: parts, name: parts[len(parts)-1]}, nil)
	switch {
	case next == end:
		return s.finish(table.wrap("DESCRIBE ", ""))
	case next+1 == end && s.tok(next).isName():
		column := quoteString(likeText(s.tok(next).val))
		return s.finish(table.wrap("SHOW COLUMNS FROM ", " LIKE "+column))
	}
	rest := piece{s.text[s.toks[next-1].end:s.toks[end-1].end], s.toks[next-1].end}
	return s.finish(append(table.wrap("DESCRIBE ", ""), rest))
}

// describeNamespace is DESCRIBE NAMESPACE [EXTENDED] name.
func (s *statement) describeNamespace(i int) (ast.Statement, error) {
	if s.tok(i).is("extended") && s.tok(i+1).isName() {
		i++
	}
	out, next := s.database(i)
	if next < len(s.toks) {
		return nil, s.syntaxAt(s.tok(next), "")
	}
	return s.finish(out.wrap("SHOW CREATE DATABASE ", ""))
}

package dialect

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// show takes the forms of SHOW that name tables, namespaces or procedures in
// Spark's way. The engine has the others.
func (s *statement) show() (ast.Statement, error) {
	switch {
	case s.wordsAt(1, "procedures"):
		return s.showProcedures()
	case s.wordsAt(1, "tblproperties"):
		return s.showTableProperties()
	case s.wordsAt(1, "tables"), s.wordsAt(1, "full", "tables"):
		i := 2
		if s.tok(1).is("full") {
			i = 3
		}
		return s.showIn("SHOW "+s.raw(1, i), i, s.likeTables)
	case s.wordsAt(1, "views"):
		return s.showIn("SHOW FULL TABLES", 2, s.likeViews)
	case s.wordsAt(1, "table", "extended"), s.wordsAt(1, "table", "status"):
		return s.showIn("SHOW TABLE STATUS", 3, s.likeTables)
	case s.wordsAt(1, "namespaces"), s.wordsAt(1, "schemas"), s.wordsAt(1, "databases"):
		return s.showNamespaces()
	case s.wordsAt(1, "catalogs"):
		return s.showCatalogs()
	case s.wordsAt(1, "current", "namespace"), s.wordsAt(1, "current", "schema"), s.wordsAt(1, "current", "database"):
		return s.showCurrent()
	case s.wordsAt(1, "create", "table"):
		return s.showTable("SHOW CREATE TABLE ", 3)
	case s.wordsAt(1, "create", "view"):
		return s.showTable("SHOW CREATE VIEW ", 3)
	case s.wordsAt(1, "create", "database"), s.wordsAt(1, "create", "schema"), s.wordsAt(1, "create", "namespace"):
		return s.showCreateDatabase()
	case s.isIn(2) && (s.wordsAt(1, "index") || s.wordsAt(1, "indexes") || s.wordsAt(1, "keys")):
		return s.showTable("SHOW INDEX FROM ", 3)
	case s.wordsAt(1, "columns"), s.wordsAt(1, "full", "columns"), s.wordsAt(1, "full", "fields"), s.wordsAt(1, "fields"):
		i := 2
		if s.tok(1).is("full") {
			i = 3
		}
		if s.isIn(i) {
			return s.showTable("SHOW "+s.raw(1, i)+" FROM ", i+1)
		}
	}
	return s.native()
}

// isIn reports whether token i is IN or FROM.
func (s *statement) isIn(i int) bool { return s.tok(i).is("in") || s.tok(i).is("from") }

// pattern reads [LIKE] 'pattern' at i.
func (s *statement) pattern(i int) (pattern string, next int) {
	if s.tok(i).is("like") && s.tok(i+1).kind == tokString {
		i++
	}
	if s.tok(i).kind == tokString {
		return s.tok(i).val, i + 1
	}
	return "", i
}

// showTable puts the engine's name in place of the table at token i. What
// follows, such as MySQL's FROM database, is kept.
func (s *statement) showTable(head string, i int) (ast.Statement, error) {
	end := len(s.toks)
	parts, next := s.dotted(i, end)
	if len(parts) == 0 || s.isIn(next) {
		return s.native()
	}
	table, _ := s.tableName(i, next, &relation{parts: parts, name: parts[len(parts)-1]}, nil)
	out := append(pieces{{head, s.toks[0].pos}}, table...)
	if next < end && !s.tok(next).is("as") {
		from := s.toks[next-1].end
		out = append(out, piece{s.text[from:s.toks[end-1].end], from})
	}
	return s.finish(out)
}

// showCreateDatabase is SHOW CREATE DATABASE name.
func (s *statement) showCreateDatabase() (ast.Statement, error) {
	db, next := s.database(3)
	if len(db) == 0 || next < len(s.toks) {
		return s.native()
	}
	return s.finish(db.wrap("SHOW CREATE DATABASE ", ""))
}

// database reads a dotted namespace at i and returns the engine's name of it.
func (s *statement) database(i int) (out pieces, next int) {
	parts, next := s.dotted(i, len(s.toks))
	if len(parts) == 0 {
		return nil, i
	}
	at := s.toks[i].pos
	if len(parts) == 1 && isSystemDatabase(parts[0]) {
		return pieces{s.verbatim(i)}, next
	}
	db, err := s.names.Database(s.ctx, parts)
	if err != nil {
		if s.unresolved == nil {
			s.unresolved = err
		}
		db = strings.Join(parts, ".")
	}
	return pieces{{quoteName(db), at}}, next
}

// showIn is a SHOW of what is in a namespace: [IN namespace] [[LIKE] 'pattern'].
func (s *statement) showIn(head string, i int, like func(pieces, string) string) (ast.Statement, error) {
	out := pieces{{head, s.toks[0].pos}}
	var db pieces
	if s.isIn(i) {
		db, i = s.database(i + 1)
		if len(db) == 0 {
			return s.native()
		}
		out = append(append(out, piece{" FROM ", db[0].pos}), db...)
	}
	pattern, next := s.pattern(i)
	if tail := like(db, pattern); tail != "" {
		out = append(out, piece{" " + tail, s.tok(i).pos})
	}
	if end := len(s.toks); next < end {
		from := s.toks[next-1].end
		out = append(out, piece{s.text[from:s.toks[end-1].end], from})
	}
	return s.finish(out)
}

func (s *statement) likeTables(_ pieces, pattern string) string {
	if pattern == "" {
		return ""
	}
	return "LIKE " + quoteString(likePattern(pattern))
}

func (s *statement) likeViews(db pieces, pattern string) string {
	where := "WHERE Table_type = 'VIEW'"
	if pattern == "" || len(db) == 0 {
		return where
	}
	column := quoteName("Tables_in_" + strings.Trim(db.String(), "`"))
	return where + " AND " + column + " LIKE " + quoteString(likePattern(pattern))
}

// likePattern turns a pattern of Spark's, in which * stands for any text and _
// for itself, into one of LIKE. A pattern without * is the engine's own.
func likePattern(pattern string) string {
	if !strings.Contains(pattern, "*") {
		return pattern
	}
	return strings.ReplaceAll(likeText(pattern), "*", "%")
}

// likeText escapes what LIKE would not take literally.
func likeText(text string) string {
	return strings.NewReplacer(`\`, `\\`, "_", `\_`, "%", `\%`).Replace(text)
}

// showNamespaces is SHOW NAMESPACES|SCHEMAS|DATABASES [IN catalog] [[LIKE] 'p'].
// The engine's databases are called by the catalog and the namespace.
func (s *statement) showNamespaces() (ast.Statement, error) {
	i, like := 2, ""
	if s.isIn(i) {
		parts, next := s.dotted(i+1, len(s.toks))
		if len(parts) == 0 {
			return nil, s.syntaxAt(s.tok(i+1), "the name of a catalog is expected")
		}
		i, like = next, likeText(strings.Join(parts, "."))+".%"
	}
	pattern, next := s.pattern(i)
	if pattern != "" {
		like = strings.TrimSuffix(like, "%") + likePattern(pattern)
	}
	out := pieces{{"SHOW DATABASES", s.toks[0].pos}}
	if like != "" {
		out = append(out, piece{" LIKE " + quoteString(like), s.tok(2).pos})
	}
	if end := len(s.toks); next < end {
		from := s.toks[next-1].end
		out = append(out, piece{s.text[from:s.toks[end-1].end], from})
	}
	return s.finish(out)
}

// showCatalogs is SHOW CATALOGS [[LIKE] 'pattern']: the catalogs that have a
// namespace, which are the first parts of the databases' names.
func (s *statement) showCatalogs() (ast.Statement, error) {
	pattern, next := s.pattern(2)
	if next < len(s.toks) {
		return nil, s.syntaxAt(s.tok(next), "")
	}
	const catalog = "SUBSTRING_INDEX(schema_name, '.', 1)"
	query := "SELECT DISTINCT " + catalog + " AS `catalog` FROM information_schema.schemata WHERE schema_name LIKE '%.%'"
	if pattern != "" {
		query += " AND " + catalog + " LIKE " + quoteString(likePattern(pattern))
	}
	return s.finish(pieces{{query + " ORDER BY 1", s.toks[0].pos}})
}

// showCurrent is SHOW CURRENT NAMESPACE, as Spark shows it. A database without a
// catalog in its name is one of the default catalog.
func (s *statement) showCurrent() (ast.Statement, error) {
	if len(s.toks) > 3 {
		return nil, s.syntaxAt(s.tok(3), "")
	}
	const query = "SELECT IF(LOCATE('.', DATABASE()) > 0, SUBSTRING_INDEX(DATABASE(), '.', 1), NULL) AS `catalog`," +
		" SUBSTR(DATABASE(), LOCATE('.', DATABASE()) + 1) AS `namespace`"
	return s.finish(pieces{{query, s.toks[0].pos}})
}

// showProcedures is SHOW PROCEDURES [IN catalog] [LIKE 'pattern'].
func (s *statement) showProcedures() (ast.Statement, error) {
	i := 2
	var catalog []string
	if s.isIn(i) {
		if catalog, i = s.dotted(i+1, len(s.toks)); len(catalog) == 0 {
			return nil, s.syntaxAt(s.tok(i), "the name of a catalog is expected")
		}
	}
	pattern, next := s.pattern(i)
	if next < len(s.toks) {
		return nil, s.syntaxAt(s.tok(next), "")
	}
	return inject(s.stmts.ShowProcedures(catalog, likePattern(pattern)), nil), nil
}

// showTableProperties is SHOW TBLPROPERTIES table [('key')].
func (s *statement) showTableProperties() (ast.Statement, error) {
	end := len(s.toks)
	table, i := s.dotted(2, end)
	if len(table) == 0 {
		return nil, s.syntaxAt(s.tok(i), "the name of a table is expected")
	}
	key := ""
	if s.tok(i).is("(") {
		j, err := s.closing(i, end)
		if err != nil {
			return nil, err
		}
		if parts, next := s.dotted(i+1, j); len(parts) > 0 && next == j {
			key = strings.Join(parts, ".")
		} else if s.tok(i+1).kind == tokString && i+2 == j {
			key = s.tok(i + 1).val
		} else {
			return nil, s.syntaxAt(s.tok(i+1), "one key is expected")
		}
		i = j + 1
	}
	if i < end {
		return nil, s.syntaxAt(s.tok(i), "")
	}
	return inject(s.stmts.ShowTableProperties(table, key), nil), nil
}

// use is USE [NAMESPACE|DATABASE|SCHEMA|CATALOG] name.
func (s *statement) use() (ast.Statement, error) {
	i := 1
	for _, word := range []string{"namespace", "database", "schema", "catalog"} {
		if s.tok(1).is(word) && s.tok(2).isName() {
			i = 2
		}
	}
	db, next := s.database(i)
	if len(db) == 0 || next < len(s.toks) {
		return s.native()
	}
	return s.finish(db.wrap("USE ", ""))
}

package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/firndb/firn/catalog"
)

// Getenv looks up an environment variable, as os.LookupEnv does.
type Getenv func(name string) (value string, ok bool)

// Load reads the file at path on top of Default. Every ${NAME} in a value is
// replaced by the environment variable of that name, which must be set. The
// error wraps ErrConfig and names the line.
func Load(path string, getenv Getenv) (Config, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Config{}, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	c, err := Parse(text, getenv)
	if err != nil {
		return Config{}, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// Parse is Load for the text of a file.
func Parse(text []byte, getenv Getenv) (Config, error) {
	c := Default()
	var doc yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return c, nil
		}
		return c, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	p := parser{config: &c, getenv: getenv}
	if err := p.top(doc.Content[0]); err != nil {
		return c, err
	}
	return c, c.Validate()
}

type parser struct {
	config *Config
	getenv Getenv
}

// topKeys are the keys of a firn.yaml, with dashes or underscores. "catalog" is
// PyIceberg's spelling.
var topKeys = []string{
	"catalogs", "catalog", "default-catalog", "listen", "data-dir", "memory", "scratch-dir", "scratch-limit", "users",
	"orphan-min-age",
	"max-rows-in-memory", "max-bytes-in-memory", "manifest-cache-bytes",
}

// catalogKeys are the keys of a catalog that have no dot in them; those with a
// dot (s3.endpoint, rest.sigv4-enabled) go to the catalog as they are.
var catalogKeys = []string{
	"aliases", "type", "uri", "warehouse", "credential", "token", "scope", "audience", "resource", "prefix",
	"oauth2-server-uri", "ssl", "auth", "ugi", "echo", "pool_pre_ping", "init_catalog_tables",
	"py-io-impl", "py-catalog-impl", "downcast-ns-timestamp-to-us-on-write",
}

var catalogTypes = []string{"sql", "rest", "hive", "glue", "hadoop"}

// ignoredKeys are the keys of a .pyiceberg.yaml beside its catalogs, which say
// how PyIceberg itself works.
var ignoredKeys = []string{"max-workers", "legacy-current-snapshot-id", "downcast-ns-timestamp-to-us-on-write"}

// need says which property a catalog of a type cannot do without.
var need = map[string]string{"sql": "uri", "rest": "uri", "hive": "uri", "hadoop": "warehouse"}

func (p *parser) top(node *yaml.Node) error {
	return p.each(node, "the file", func(spelt string, value *yaml.Node) error {
		key := strings.ReplaceAll(spelt, "_", "-")
		switch key {
		case "catalogs":
			return p.catalogs(value, true)
		case "catalog":
			return p.catalogs(value, false)
		case "default-catalog":
			return p.text(value, key, &p.config.DefaultCatalog)
		case "listen":
			return p.text(value, key, &p.config.Listen)
		case "data-dir":
			return p.text(value, key, &p.config.DataDir)
		case "memory":
			return p.size(value, key, &p.config.Memory)
		case "scratch-dir":
			return p.text(value, key, &p.config.ScratchDir)
		case "scratch-limit":
			return p.size(value, key, &p.config.ScratchLimit)
		case "orphan-min-age":
			return p.age(value, key, &p.config.OrphanMinAge)
		case "users":
			return p.users(value)
		case "max-rows-in-memory":
			return p.number(value, key, &p.config.MaxRowsInMemory)
		case "max-bytes-in-memory":
			return p.number(value, key, &p.config.MaxBytesInMemory)
		case "manifest-cache-bytes":
			return p.number(value, key, &p.config.ManifestCacheBytes)
		}
		if slices.Contains(ignoredKeys, key) {
			return nil
		}
		return unknown(spelt, value.Line, topKeys)
	})
}

func (p *parser) users(node *yaml.Node) error {
	return p.each(node, "users", func(name string, value *yaml.Node) error {
		user := User{Name: name}
		if err := p.text(value, "users."+name, &user.Password); err != nil {
			return err
		}
		p.config.Users = append(p.config.Users, user)
		return nil
	})
}

// catalogs reads the map of catalogs; strict refuses keys and types that no
// catalog has, which a file written for PyIceberg may contain: its catalogs of
// other types are left out, if one remains.
func (p *parser) catalogs(node *yaml.Node, strict bool) error {
	var other error
	err := p.each(node, "catalogs", func(name string, value *yaml.Node) error {
		c := catalog.Config{Name: name, Properties: map[string]string{}, MustExist: true}
		err := p.each(value, name, func(key string, value *yaml.Node) error {
			if strict && !strings.Contains(key, ".") && !slices.Contains(catalogKeys, key) {
				return unknown(key, value.Line, catalogKeys)
			}
			if key == "aliases" {
				return p.list(value, name+".aliases", &c.Aliases)
			}
			var text string
			if err := p.text(value, name+"."+key, &text); err != nil {
				return err
			}
			c.Properties[key] = text
			return nil
		})
		if err != nil {
			return err
		}
		if err := checkType(&c, value.Line); err != nil {
			if strict {
				return err
			}
			other = err
			return nil
		}
		p.config.Catalogs = append(p.config.Catalogs, c)
		return nil
	})
	if err == nil && len(p.config.Catalogs) == 0 {
		err = other
	}
	return err
}

// checkType refuses an unknown type of catalog and infers a missing one from
// the URI, as PyIceberg does. It also refuses a catalog that has not what its
// type needs to be opened.
func checkType(c *catalog.Config, line int) error {
	kind := strings.ToLower(c.Properties["type"])
	if kind == "" {
		scheme, _, _ := strings.Cut(c.Properties["uri"], ":")
		switch scheme {
		case "http", "https":
			kind = "rest"
		case "thrift":
			kind = "hive"
		case "sqlite", "file":
			kind = "sql"
		}
	}
	if kind == "" {
		return fmt.Errorf("%w: line %d: catalog %q needs a type, which is one of %s, or a uri that tells it", ErrConfig, line, c.Name, strings.Join(catalogTypes, ", "))
	}
	if !slices.Contains(catalogTypes, kind) {
		return fmt.Errorf("%w: line %d: catalog %q has type %q; allowed are %s", ErrConfig, line, c.Name, kind, strings.Join(catalogTypes, ", "))
	}
	if key := need[kind]; key != "" && c.Properties[key] == "" {
		return fmt.Errorf("%w: line %d: catalog %q of type %s needs a %s", ErrConfig, line, c.Name, kind, key)
	}
	if uri := c.Properties["uri"]; kind == "rest" && !strings.HasPrefix(uri, "http://") && !strings.HasPrefix(uri, "https://") {
		return fmt.Errorf("%w: line %d: catalog %q has the uri %q; one of type rest begins with http:// or https://", ErrConfig, line, c.Name, uri)
	}
	c.Properties["type"] = kind
	return nil
}

// each calls visit for every entry of a mapping, in order.
func (p *parser) each(node *yaml.Node, what string, visit func(key string, value *yaml.Node) error) error {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("%w: line %d: %s must be a map", ErrConfig, node.Line, what)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if key := node.Content[i]; seen[key.Value] {
			return fmt.Errorf("%w: line %d: %q is there twice", ErrConfig, key.Line, key.Value)
		}
		seen[node.Content[i].Value] = true
		if err := visit(node.Content[i].Value, node.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) list(node *yaml.Node, what string, dst *[]string) error {
	if node.Kind != yaml.SequenceNode {
		return fmt.Errorf("%w: line %d: %s must be a list", ErrConfig, node.Line, what)
	}
	for _, item := range node.Content {
		var text string
		if err := p.text(item, what, &text); err != nil {
			return err
		}
		*dst = append(*dst, text)
	}
	return nil
}

func (p *parser) text(node *yaml.Node, what string, dst *string) error {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if node.Kind != yaml.ScalarNode {
		return fmt.Errorf("%w: line %d: %s must be a single value", ErrConfig, node.Line, what)
	}
	text, err := p.expand(node.Value)
	if err != nil {
		return fmt.Errorf("%w: line %d: %s: %w", ErrConfig, node.Line, what, err)
	}
	*dst = text
	return nil
}

func (p *parser) number(node *yaml.Node, what string, dst *int64) error {
	var text string
	if err := p.text(node, what, &text); err != nil {
		return err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return fmt.Errorf("%w: line %d: %s: %q is no number; 0 or more is allowed", ErrConfig, node.Line, what, text)
	}
	*dst = n
	return nil
}

// expand replaces ${NAME}.
func (p *parser) expand(text string) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", fmt.Errorf("%q is not closed by }", "${"+rest)
		}
		value, ok := p.getenv(name)
		if !ok {
			return "", fmt.Errorf("the environment variable %q is not set", name)
		}
		out.WriteString(value)
		text = after
	}
}

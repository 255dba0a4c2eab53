package server

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
)

// restLake serves the lake's catalog in the REST specification's words: of views
// with those endpoints, unless views is false.
type restLake struct {
	t     *testing.T
	lake  *lakefixture.Lake
	views bool
}

type restName struct {
	Namespace []string `json:"namespace"`
	Name      string   `json:"name"`
}

func (r restLake) handler() http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, answer func(*http.Request) (any, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) {
			body, err := answer(req)
			if err != nil {
				w.WriteHeader(http.StatusNotFound)
				body = map[string]any{"error": map[string]any{"message": err.Error(), "type": "NoSuchThing", "code": http.StatusNotFound}}
			}
			if err := json.NewEncoder(w).Encode(body); err != nil {
				r.t.Error(err)
			}
		})
	}
	handle("GET /v1/config", func(*http.Request) (any, error) {
		endpoints := []string{
			"GET /v1/{prefix}/namespaces", "GET /v1/{prefix}/namespaces/{namespace}",
			"GET /v1/{prefix}/namespaces/{namespace}/tables", "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}",
		}
		if r.views {
			endpoints = append(endpoints, "GET /v1/{prefix}/namespaces/{namespace}/views", "GET /v1/{prefix}/namespaces/{namespace}/views/{view}")
		}
		return map[string]any{"defaults": map[string]string{}, "overrides": map[string]string{}, "endpoints": endpoints}, nil
	})
	handle("GET /v1/namespaces", func(*http.Request) (any, error) {
		return map[string]any{"namespaces": [][]string{{"analytics"}}}, nil
	})
	handle("GET /v1/namespaces/analytics", func(*http.Request) (any, error) {
		return map[string]any{"namespace": []string{"analytics"}, "properties": map[string]string{}}, nil
	})
	handle("GET /v1/namespaces/analytics/tables", func(*http.Request) (any, error) {
		return map[string]any{"identifiers": []restName{{[]string{"analytics"}, "events_mor"}}}, nil
	})
	handle("GET /v1/namespaces/analytics/tables/{table}", func(req *http.Request) (any, error) {
		tbl, err := r.lake.Catalog.Load(req.Context(), table.Identifier{"analytics", req.PathValue("table")})
		if err != nil {
			return nil, err
		}
		return map[string]any{"metadata-location": tbl.MetadataLocation(), "metadata": tbl.Metadata(), "config": map[string]string{}}, nil
	})
	if !r.views {
		return mux
	}
	handle("GET /v1/namespaces/analytics/views", func(*http.Request) (any, error) {
		return map[string]any{"identifiers": []restName{{[]string{"analytics"}, "v_orders"}, {[]string{"analytics"}, "v_mor"}}}, nil
	})
	handle("GET /v1/namespaces/analytics/views/{view}", func(req *http.Request) (any, error) {
		v, err := r.lake.Catalog.LoadView(req.Context(), table.Identifier{"analytics", req.PathValue("view")})
		if err != nil {
			return nil, err
		}
		return map[string]any{"metadata-location": v.MetadataLocation(), "metadata": v.Metadata(), "config": map[string]string{}}, nil
	})
	return mux
}

// serveREST serves the lake through a REST catalog of the same name.
func serveREST(t *testing.T, views bool) (lake, throughREST *client) {
	t.Helper()
	l := lakefixture.Open(t, catalog.Hooks{})
	server := httptest.NewServer(restLake{t, l, views}.handler())
	t.Cleanup(server.Close)
	props := maps.Clone(l.Config.Properties)
	props["type"], props["uri"] = "rest", server.URL
	delete(props, "warehouse")
	set, err := catalog.NewSet([]catalog.Config{{Name: lakefixture.Name, Properties: props}}, lakefixture.Name, catalog.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, Config{Catalogs: l.Set}), serve(t, Config{Catalogs: set})
}

func TestViewsOfREST(t *testing.T) {
	lake, c := serveREST(t, true)
	c.want("SHOW VIEWS IN lake.analytics", "v_mor | VIEW", "v_orders | VIEW")
	c.want("SHOW TABLES IN lake.analytics", "events_mor", "v_mor", "v_orders")
	for _, query := range []string{
		"SELECT * FROM lake.analytics.v_mor ORDER BY 1",
		"SELECT COUNT(*) FROM analytics.V_MOR",
		"SHOW CREATE VIEW lake.analytics.v_mor",
		"DESCRIBE lake.analytics.v_mor",
		"SELECT view_definition FROM information_schema.views WHERE table_schema = 'lake.analytics' ORDER BY table_name",
	} {
		if got, want := c.query(query), lake.query(query); !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("%s\ngot  %s\nwant %s", query, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	// The view's table is not in this catalog.
	_, err := queryRows(c.db, "SELECT * FROM lake.analytics.v_orders")
	if num, _ := errno(t, err); num != codeViewInvalid && num != 1146 {
		t.Errorf("got %v", err)
	}
	_, err = queryRows(c.db, "SELECT * FROM lake.analytics.v_none")
	if num, _ := errno(t, err); num != 1146 {
		t.Errorf("got %v", err)
	}
}

// A REST catalog without the endpoints of views has none.
func TestRESTWithoutViews(t *testing.T) {
	lake, c := serveREST(t, false)
	c.want("SHOW TABLES IN lake.analytics", "events_mor")
	c.want("SHOW VIEWS IN lake.analytics")
	c.want("SELECT COUNT(*) FROM lake.analytics.events_mor", lake.query("SELECT COUNT(*) FROM lake.analytics.events_mor")...)
	_, err := queryRows(c.db, "SELECT * FROM lake.analytics.v_mor")
	if num, _ := errno(t, err); num != 1146 {
		t.Errorf("got %v", err)
	}
}

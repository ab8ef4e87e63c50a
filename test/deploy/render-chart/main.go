// Renders the templates of a chart with the engine that Helm uses, Go's text/template, and the functions that the chart uses.
// The input is JSON: { "values": …, "chart": …, "release": …, "files": { "templates/x.yaml": "…" } }; the output is a JSON object of texts.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/template"

	"gopkg.in/yaml.v3"
)

type input struct {
	Values, Chart, Release map[string]any
	Files                  map[string]string
}

func main() {
	var given input
	check(json.NewDecoder(os.Stdin).Decode(&given))
	chart := template.New("chart").Option("missingkey=zero")
	chart.Funcs(functions(chart))
	for name, text := range given.Files {
		template.Must(chart.New(name).Parse(text))
	}
	context := map[string]any{"Values": given.Values, "Chart": given.Chart, "Release": given.Release}
	rendered := map[string]string{}
	for name := range given.Files {
		if !strings.HasSuffix(name, ".tpl") {
			rendered[name] = execute(chart, name, context)
		}
	}
	check(json.NewEncoder(os.Stdout).Encode(rendered))
}

func functions(chart *template.Template) template.FuncMap {
	return template.FuncMap{
		"include": func(name string, data any) string { return execute(chart, name, data) },
		"nindent": func(spaces int, text string) string {
			indent := strings.Repeat(" ", spaces)
			return "\n" + indent + strings.ReplaceAll(text, "\n", "\n"+indent)
		},
		"toYaml": func(value any) string {
			text, err := yaml.Marshal(value)
			check(err)
			return strings.TrimSuffix(string(text), "\n")
		},
		"quote":   func(value any) string { return fmt.Sprintf("%q", fmt.Sprint(value)) },
		"default": func(otherwise, value any) any { return choose(isEmpty(value), otherwise, value) },
		"int":     func(value float64) int { return int(value) },
		"required": func(message string, value any) (any, error) {
			if isEmpty(value) {
				return nil, errors.New(message)
			}
			return value, nil
		},
		"dict": func(pairs ...any) map[string]any {
			made := map[string]any{}
			for at := 0; at < len(pairs); at += 2 {
				made[pairs[at].(string)] = pairs[at+1]
			}
			return made
		},
	}
}

func execute(chart *template.Template, name string, data any) string {
	var written bytes.Buffer
	check(chart.ExecuteTemplate(&written, name, data))
	return written.String()
}

func isEmpty(value any) bool {
	truth, _ := template.IsTrue(value)
	return !truth
}

func choose(condition bool, yes, no any) any {
	if condition {
		return yes
	}
	return no
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

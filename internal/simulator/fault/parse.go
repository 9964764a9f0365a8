package fault

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Parse reads a fault as the command line writes it: its name, then
// options, such as
//
//	status-429,endpoint=/trades,times=3,value=0.5
//
// with the options endpoint, after, times, probability, every, delay, size and
// value of Options. Sizes take the suffixes KiB, MiB and GiB. A value
// comes last and may hold commas. Names are checked by the platform.
func Parse(text string) (name string, o Options, err error) {
	name, rest, _ := strings.Cut(text, ",")
	if name == "" {
		return "", o, fmt.Errorf("fault %q has no name", text)
	}
	for rest != "" {
		var option string
		if strings.HasPrefix(rest, "value=") {
			option, rest = rest, ""
		} else {
			option, rest, _ = strings.Cut(rest, ",")
		}
		key, value, ok := strings.Cut(option, "=")
		if !ok {
			return "", o, fmt.Errorf("fault %s: option %q has no value", name, option)
		}
		if err := o.setOption(key, value); err != nil {
			return "", o, fmt.Errorf("fault %s: %w", name, err)
		}
	}
	return name, o, nil
}

// setOption sets one option from its text.
func (o *Options) setOption(key, value string) (err error) {
	switch key {
	case "endpoint":
		o.Endpoint = value
	case "after":
		o.After, err = strconv.Atoi(value)
	case "times":
		o.Times, err = strconv.Atoi(value)
	case "probability":
		o.Probability, err = strconv.ParseFloat(value, 64)
	case "every":
		o.Every, err = strconv.Atoi(value)
	case "delay":
		o.Delay, err = time.ParseDuration(value)
	case "size":
		o.Size, err = parseSize(value)
	case "value":
		o.Value = value
	default:
		return fmt.Errorf("unknown option %q: want endpoint, after, times, probability, every, delay, size or value", key)
	}
	if err != nil {
		return fmt.Errorf("option %s: %q is not valid", key, value)
	}
	return nil
}

// parseSize reads a number with an optional binary suffix.
func parseSize(text string) (int64, error) {
	shift := 0
	for suffix, s := range map[string]int{"KiB": 10, "MiB": 20, "GiB": 30} {
		if number, ok := strings.CutSuffix(text, suffix); ok {
			text, shift = number, s
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil && n > (1<<62)>>shift {
		err = strconv.ErrRange
	}
	return n << shift, err
}

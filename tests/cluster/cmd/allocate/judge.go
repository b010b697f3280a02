package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

// answer is one line of the output.
type answer struct {
	ID      string       `json:"id"`
	Nodes   []nodeAnswer `json:"nodes,omitempty"`
	Each    []eachAnswer `json:"each,omitempty"`
	Seconds float64      `json:"seconds,omitempty"`
	Error   string       `json:"error,omitempty"`
}

// nodeAnswer is the verdict of one node; Undecided says that time ran out.
type nodeAnswer struct {
	Node          string    `json:"node"`
	Allocatable   bool      `json:"allocatable"`
	Allocations   [][]picks `json:"allocations,omitempty"`
	Error         string    `json:"error,omitempty"`
	NodeOnlyError bool      `json:"nodeOnlyError,omitempty"`
	Undecided     bool      `json:"undecided,omitempty"`
}

type picks = resourceapi.DeviceRequestAllocationResult

// expressionsKept is how many compiled CEL expressions are kept; compiling is by far the slowest step.
const expressionsKept = 20_000

// judge keeps compiled CEL expressions from scenario to scenario.
type judge struct {
	opts   options
	caches map[cel.Features]*cel.Cache
}

func newJudge(opts options) (*judge, error) {
	if _, err := readFeatures(nil, opts.features); err != nil {
		return nil, err
	}
	return &judge{opts: opts, caches: map[cel.Features]*cel.Cache{}}, nil
}

func (j *judge) answer(raw []byte) answer {
	var in line
	if err := json.Unmarshal(raw, &in); err != nil {
		return answer{Error: err.Error()}
	}
	out := answer{ID: in.ID}
	s, err := readScenario(in.Scenario, j.opts.strict)
	if err != nil {
		out.Error = err.Error()
		return out
	}
	features, err := readFeatures(s.Features, j.opts.features)
	if err != nil {
		out.Error = err.Error()
		return out
	}
	began := time.Now()
	a := j.allocator(s, features, s.Slices, s.Classes)
	for _, node := range s.Nodes {
		out.Nodes = append(out.Nodes, a.verdict(node, s.Claims))
	}
	if j.opts.seconds {
		out.Seconds = time.Since(began).Seconds()
	}
	if j.opts.each {
		out.Each = j.each(s, features)
	}
	return out
}

// allocator binds upstream's allocator to one state of a cluster.
func (j *judge) allocator(s *scenario, features structured.Features, slices []*resourceapi.ResourceSlice, classes classes) *allocator {
	celFeatures := cel.Features{
		EnableConsumableCapacity: features.ConsumableCapacity,
		EnableListTypeAttributes: features.ListTypeAttributes,
	}
	cache, ok := j.caches[celFeatures]
	if !ok {
		cache = cel.NewCache(expressionsKept, celFeatures)
		j.caches[celFeatures] = cache
	}
	state := inUse(s.Allocated, features.ConsumableCapacity)
	upstream, err := structured.NewAllocator(context.Background(), features, state, classes, slices, cache)
	return &allocator{upstream: upstream, err: err, timeout: j.opts.timeout}
}

type allocator struct {
	upstream structured.Allocator
	err      error
	timeout  time.Duration
}

// allocate asks upstream; a panic there becomes an error.
func (a *allocator) allocate(node *corev1.Node, claims []*resourceapi.ResourceClaim) (results []resourceapi.AllocationResult, err error) {
	if a.err != nil {
		return nil, a.err
	}
	defer func() {
		if reason := recover(); reason != nil {
			results, err = nil, fmt.Errorf("panic: %v", reason)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), a.timeout)
	defer cancel()
	return a.upstream.Allocate(ctx, node, claims)
}

func (a *allocator) verdict(node *corev1.Node, claims []*resourceapi.ResourceClaim) nodeAnswer {
	out := nodeAnswer{Node: node.Name}
	results, err := a.allocate(node, claims)
	if err != nil {
		out.Error = err.Error()
		out.NodeOnlyError = errors.Is(err, structured.ErrFailedAllocationOnNode)
		out.Undecided = errors.Is(err, context.DeadlineExceeded)
		return out
	}
	if results == nil {
		return out
	}
	out.Allocatable = true
	shares := 0
	for _, result := range results {
		claim := append([]picks{}, result.Devices.Results...)
		for i := range claim {
			if claim[i].ShareID != nil {
				shares++
				id := types.UID(fmt.Sprintf("00000000-0000-0000-0000-%012x", shares))
				claim[i].ShareID = &id
			}
		}
		out.Allocations = append(out.Allocations, claim)
	}
	return out
}

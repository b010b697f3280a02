package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"
	sigsjson "sigs.k8s.io/json"
)

// line is one line of the input.
type line struct {
	ID       string          `json:"id"`
	Scenario json.RawMessage `json:"scenario"`
}

// scenario is a cluster and the claims to be allocated together, in this order.
type scenario struct {
	Slices    []*resourceapi.ResourceSlice `json:"slices"`
	Classes   classes                      `json:"classes"`
	Allocated []*resourceapi.ResourceClaim `json:"allocated"`
	Nodes     []*corev1.Node               `json:"nodes"`
	Claims    []*resourceapi.ResourceClaim `json:"claims"`
	Features  json.RawMessage              `json:"features,omitempty"`
}

// readScenario decodes as the API server does (case-sensitive) and fills in its defaults.
func readScenario(raw []byte, strict bool) (*scenario, error) {
	var s scenario
	strictErrors, err := sigsjson.UnmarshalStrict(raw, &s)
	if err != nil {
		return nil, err
	}
	if strict && len(strictErrors) > 0 {
		return nil, errors.Join(strictErrors...)
	}
	for _, slice := range s.Slices {
		if slice.APIVersion != "" && slice.APIVersion != resourceapi.SchemeGroupVersion.String() {
			return nil, fmt.Errorf("slice %s: apiVersion %s is not %s", slice.Name, slice.APIVersion, resourceapi.SchemeGroupVersion)
		}
	}
	for _, claim := range append(append([]*resourceapi.ResourceClaim{}, s.Allocated...), s.Claims...) {
		setDefaults(claim)
	}
	return &s, nil
}

// setDefaults fills in what the API server would: one device of each request.
func setDefaults(claim *resourceapi.ResourceClaim) {
	for i := range claim.Spec.Devices.Requests {
		request := &claim.Spec.Devices.Requests[i]
		if request.Exactly != nil {
			setMode(&request.Exactly.AllocationMode, &request.Exactly.Count)
		}
		for j := range request.FirstAvailable {
			setMode(&request.FirstAvailable[j].AllocationMode, &request.FirstAvailable[j].Count)
		}
	}
}

func setMode(mode *resourceapi.DeviceAllocationMode, count *int64) {
	if *mode == "" {
		*mode = resourceapi.DeviceAllocationModeExactCount
	}
	if *mode == resourceapi.DeviceAllocationModeExactCount && *count == 0 {
		*count = 1
	}
}

// alphaFeatures are off unless somebody turns them on; an older release does not know them all.
var alphaFeatures = []string{"CompatibilityGroups", "DerivedAttributes", "ListTypeAttributes", "OptionalNodeOperations"}

// readFeatures starts from all features, or those of a default installation, and applies what the scenario says.
func readFeatures(raw json.RawMessage, base string) (structured.Features, error) {
	var features structured.Features
	fields := reflect.ValueOf(&features).Elem()
	for i := range fields.NumField() {
		fields.Field(i).SetBool(true)
	}
	switch base {
	case "all":
	case "default":
		for _, name := range alphaFeatures {
			if field := fields.FieldByName(name); field.IsValid() {
				field.SetBool(false)
			}
		}
	default:
		return features, fmt.Errorf("features: %q is neither all nor default", base)
	}
	if len(raw) == 0 {
		return features, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&features); err != nil {
		return features, fmt.Errorf("features: %w", err)
	}
	return features, nil
}

// classes answers the allocator's questions for device classes.
type classes []*resourceapi.DeviceClass

func (c classes) List() ([]*resourceapi.DeviceClass, error) { return c, nil }

func (c classes) Get(name string) (*resourceapi.DeviceClass, error) {
	for _, class := range c {
		if class.Name == name {
			return class, nil
		}
	}
	kind := schema.GroupResource{Group: resourceapi.GroupName, Resource: "deviceclasses"}
	return nil, apierrors.NewNotFound(kind, name)
}

// inUse is what the claims hold, as the scheduler counts it: admin access holds nothing, a share holds its capacity.
func inUse(claims []*resourceapi.ResourceClaim, consumable bool) structured.AllocatedState {
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	for _, claim := range claims {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			if result.AdminAccess != nil && *result.AdminAccess {
				continue
			}
			id := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
			if !consumable || result.ShareID == nil {
				state.AllocatedDevices.Insert(id)
				continue
			}
			state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(id, result.ShareID))
			if result.ConsumedCapacity != nil {
				state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(id, result.ConsumedCapacity))
			}
		}
	}
	return state
}

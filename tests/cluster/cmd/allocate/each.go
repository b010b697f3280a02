package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/structured"
)

// eachAnswer lists the devices ("driver/pool/device") that a claim for just one of them could get on a node.
// FreeTolerated are those that only a claim tolerating every taint could get.
type eachAnswer struct {
	Node          string   `json:"node"`
	Free          []string `json:"free"`
	FreeTolerated []string `json:"freeTolerated"`
}

const (
	// The allocator picks by attributes only, so each device of a copy gets an attribute of its own.
	probeDomain = "probe.dra-dashboard.local"
	probeClass  = "probe.dra-dashboard.local"
)

// probe is one device identity to ask for.
type probe struct {
	id      string
	tainted bool
	nodes   map[string]bool // the nodes it is published for; nil: not limited by node name
}

func (j *judge) each(s *scenario, features structured.Features) []eachAnswer {
	slices, probes := marked(s.Slices)
	class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: probeClass}}
	a := j.allocator(s, features, slices, classes{class})
	var out []eachAnswer
	for _, node := range s.Nodes {
		one := eachAnswer{Node: node.Name, Free: []string{}}
		for i, p := range probes {
			if p.nodes != nil && !p.nodes[node.Name] {
				continue
			}
			switch {
			case a.free(node, i, false):
				one.Free = append(one.Free, p.id)
			case p.tainted && a.free(node, i, true):
				one.FreeTolerated = append(one.FreeTolerated, p.id)
			}
		}
		out = append(out, one)
	}
	return out
}

func (a *allocator) free(node *corev1.Node, index int, tolerate bool) bool {
	results, err := a.allocate(node, []*resourceapi.ResourceClaim{probeClaim(index, tolerate)})
	return err == nil && len(results) == 1
}

// marked copies the slices and gives each device identity a number; equal identities share it.
func marked(slices []*resourceapi.ResourceSlice) ([]*resourceapi.ResourceSlice, []*probe) {
	var probes []*probe
	numbers := map[structured.DeviceID]int{}
	copies := make([]*resourceapi.ResourceSlice, 0, len(slices))
	for _, slice := range slices {
		slice = slice.DeepCopy()
		copies = append(copies, slice)
		for i := range slice.Spec.Devices {
			device := &slice.Spec.Devices[i]
			id := structured.MakeDeviceID(slice.Spec.Driver, slice.Spec.Pool.Name, device.Name)
			number, known := numbers[id]
			if !known {
				number = len(probes)
				numbers[id] = number
				probes = append(probes, &probe{id: id.String(), nodes: map[string]bool{}})
			}
			probes[number].seen(slice, device)
			mark(device, number)
		}
	}
	return copies, probes
}

// seen notes where a device is published and whether it carries a taint.
func (p *probe) seen(slice *resourceapi.ResourceSlice, device *resourceapi.Device) {
	p.tainted = p.tainted || len(device.Taints) > 0
	switch name := slice.Spec.NodeName; {
	case name == nil || *name == "":
		p.nodes = nil
	case p.nodes != nil:
		p.nodes[*name] = true
	}
}

func mark(device *resourceapi.Device, number int) {
	if device.Attributes == nil {
		device.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
	}
	value := int64(number)
	device.Attributes[probeDomain+"/number"] = resourceapi.DeviceAttribute{IntValue: &value}
}

func probeClaim(number int, tolerate bool) *resourceapi.ResourceClaim {
	expression := fmt.Sprintf("device.attributes[%q].number == %d", probeDomain, number)
	request := &resourceapi.ExactDeviceRequest{
		DeviceClassName: probeClass,
		AllocationMode:  resourceapi.DeviceAllocationModeExactCount,
		Count:           1,
		Selectors:       []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: expression}}},
	}
	if tolerate {
		request.Tolerations = []resourceapi.DeviceToleration{{Operator: resourceapi.DeviceTolerationOpExists}}
	}
	return &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "probe", Namespace: "default", UID: "probe"},
		Spec: resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{
			Requests: []resourceapi.DeviceRequest{{Name: "probe", Exactly: request}},
		}},
	}
}

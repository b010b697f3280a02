// Command driver publishes ResourceSlices as every driver does: through upstream's resourceslice controller.
//
// Each line of standard input is what the driver wants published from then on: {"Pools": {name: {"Slices": [{"Devices":
// […], "SharedCounters": […]}], "NodeSelector": …, "AllNodes": …}}}. After each, and after each change the controller
// made because of it, a line of JSON tells the number of creations, updates and deletions so far. Errors of the
// controller are lines {"error": …}. The end of the input ends the program; slices stay.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/dynamic-resource-allocation/resourceslice"
)

// out writes one JSON value a line; the controller's goroutines write as well.
type out struct {
	mutex   sync.Mutex
	encoder *json.Encoder
}

func (o *out) line(value any) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	_ = o.encoder.Encode(value)
}

func main() {
	kubeconfig := flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "where the API server is and who we are")
	name := flag.String("driver", "gpu.example.com", "name of the driver")
	node := flag.String("node", "", "the node that owns the slices; without it they belong to nobody")
	flag.Parse()
	if err := run(*kubeconfig, *name, *node); err != nil {
		fmt.Fprintln(os.Stderr, "driver:", err)
		os.Exit(1)
	}
}

func run(kubeconfig, name, node string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	stdout := &out{encoder: json.NewEncoder(os.Stdout)}
	soon := 200 * time.Millisecond
	options := resourceslice.Options{
		DriverName: name,
		KubeClient: client,
		SyncDelay:  &soon,
		Resources:  &resourceslice.DriverResources{},
		ErrorHandler: func(_ context.Context, err error, msg string) {
			stdout.line(map[string]string{"error": fmt.Sprintf("%s: %v", msg, err)})
		},
	}
	if options.Owner, err = owner(client, node); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	controller, err := resourceslice.StartController(ctx, options)
	if err != nil {
		return err
	}
	defer controller.Stop()
	go report(ctx, controller, stdout)
	return follow(controller, stdout)
}

// owner looks the node up, so that the slices carry its UID and go when it goes.
func owner(client kubernetes.Interface, node string) (*resourceslice.Owner, error) {
	if node == "" {
		return nil, nil
	}
	found, err := client.CoreV1().Nodes().Get(context.Background(), node, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return &resourceslice.Owner{APIVersion: "v1", Kind: "Node", Name: node, UID: found.UID}, nil
}

func follow(controller *resourceslice.Controller, stdout *out) error {
	scanner := bufio.NewScanner(os.Stdin)
	scanner.Buffer(nil, 64<<20)
	for scanner.Scan() {
		var wanted resourceslice.DriverResources
		if err := json.Unmarshal(scanner.Bytes(), &wanted); err != nil {
			return err
		}
		controller.Update(&wanted)
		stdout.line(controller.GetStats())
	}
	return scanner.Err()
}

// report tells of each change the controller has made.
func report(ctx context.Context, controller *resourceslice.Controller, stdout *out) {
	var last resourceslice.Stats
	for ctx.Err() == nil {
		if now := controller.GetStats(); now != last {
			stdout.line(now)
			last = now
		}
		time.Sleep(50 * time.Millisecond)
	}
}

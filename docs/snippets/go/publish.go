// Publish a pool from a driver, with the standard library only. DRA_URL and DRA_TOKEN come from the environment.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
)

type object = map[string]any

const driver, node = "gpu.example.com", "node-8"

func slice(index int, key string, value any) object {
	return object{
		"apiVersion": "resource.k8s.io/v1",
		"kind":       "ResourceSlice",
		"metadata":   object{"name": fmt.Sprintf("%02x-%s-%s", index, driver, node)},
		"spec": object{
			"driver":   driver,
			"nodeName": node,
			"pool":     object{"name": node, "generation": 1, "resourceSliceCount": 2},
			key:        value,
		},
	}
}

func memory(amount string) object {
	return object{"memory": object{"value": amount}}
}

func device(name, amount string) object {
	return object{
		"name":             name,
		"consumesCounters": []object{{"counterSet": "gpu-0", "counters": memory(amount)}},
	}
}

func main() {
	body, err := json.Marshal([]object{
		slice(0, "sharedCounters", []object{{"name": "gpu-0", "counters": memory("80Gi")}}),
		slice(1, "devices", []object{device("half-0", "40Gi"), device("half-1", "40Gi"), device("whole", "80Gi")}),
	})
	if err != nil {
		panic(err)
	}
	url := fmt.Sprintf("%s/api/v1/publish/?replace=%s/%s", os.Getenv("DRA_URL"), driver, node)
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("DRA_TOKEN"))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(response.Body)
	fmt.Println(response.Status, string(answer))
	if response.StatusCode != http.StatusOK {
		os.Exit(1)
	}
}

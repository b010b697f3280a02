module example.com/publish

go 1.21

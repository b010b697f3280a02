import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Card",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=540)),
                ("label", models.CharField(max_length=253)),
                ("model", models.CharField(blank=True, max_length=64)),
                ("position", models.PositiveIntegerField(help_text="Order in the pool, from 0.")),
                (
                    "use",
                    models.FloatField(
                        help_text="Highest consumed/capacity over its counters; above 1 when overcommitted."
                    ),
                ),
                (
                    "largest",
                    models.CharField(
                        blank=True, help_text="Biggest type that still fits; empty when none.", max_length=253
                    ),
                ),
                (
                    "slots",
                    models.JSONField(
                        default=list, help_text="[{stem, cells: [[namespace/claim, …], …]}], see domain SlotMap"
                    ),
                ),
                ("devices_total", models.PositiveIntegerField()),
                ("devices_allocated", models.PositiveIntegerField()),
                ("devices_available", models.PositiveIntegerField()),
                ("devices_blocked", models.PositiveIntegerField()),
                ("devices_tainted", models.PositiveIntegerField()),
                ("devices_unavailable", models.PositiveIntegerField()),
            ],
            options={
                "ordering": ["pool", "position"],
            },
        ),
        migrations.CreateModel(
            name="Cluster",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=63, unique=True)),
                ("revision", models.BigIntegerField(default=0)),
                ("as_of", models.DateTimeField(null=True)),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="CounterSet",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=520)),
            ],
            options={
                "ordering": ["pool", "id"],
            },
        ),
        migrations.CreateModel(
            name="PublishToken",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100, unique=True)),
                ("digest", models.BinaryField(max_length=32, unique=True)),
                ("cluster", models.CharField(blank=True, max_length=63)),
                ("driver", models.CharField(blank=True, max_length=253)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField(null=True)),
                ("last_used_at", models.DateTimeField(null=True)),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="Claim",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("namespace", models.CharField(max_length=63)),
                ("name", models.CharField(max_length=253)),
                ("uid", models.CharField(blank=True, max_length=64)),
                ("form", models.CharField(max_length=32)),
                ("state", models.CharField(max_length=9)),
                ("allocated", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(null=True)),
                ("allocated_at", models.DateTimeField(null=True)),
                ("node", models.CharField(blank=True, max_length=253)),
                ("requests", models.JSONField(default=list)),
                ("constraints", models.JSONField(default=list)),
                ("reserved_for", models.JSONField(default=list, help_text="[{resource, name, uid}]")),
                (
                    "cluster",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="claims", to="pools.cluster"
                    ),
                ),
            ],
            options={
                "ordering": ["cluster", "namespace", "name"],
            },
        ),
        migrations.CreateModel(
            name="Counter",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=253)),
                ("capacity", models.CharField(max_length=200)),
                ("consumed", models.CharField(max_length=200)),
                ("available", models.CharField(max_length=200)),
                ("overcommitted", models.CharField(default="0", max_length=200)),
                ("ratio", models.FloatField(null=True)),
                ("uncertain", models.BooleanField(default=False)),
                (
                    "holds",
                    models.JSONField(
                        default=list, help_text="[{device, amount, claims: [{namespace, name, request, pods}]}]"
                    ),
                ),
                (
                    "card",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.CASCADE, related_name="counters", to="pools.card"
                    ),
                ),
                (
                    "counter_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="counters", to="pools.counterset"
                    ),
                ),
            ],
            options={
                "ordering": ["counter_set", "id"],
            },
        ),
        migrations.CreateModel(
            name="Node",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=253)),
                ("observed", models.BooleanField(default=False)),
                ("unschedulable", models.BooleanField(default=False)),
                ("labels", models.JSONField(default=dict)),
                (
                    "cluster",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="nodes", to="pools.cluster"
                    ),
                ),
            ],
            options={
                "ordering": ["cluster", "name"],
            },
        ),
        migrations.CreateModel(
            name="Pod",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("namespace", models.CharField(max_length=63)),
                ("name", models.CharField(max_length=253)),
                ("uid", models.CharField(blank=True, max_length=64)),
                ("node", models.CharField(blank=True, max_length=253)),
                ("phase", models.CharField(blank=True, max_length=31)),
                (
                    "unschedulable",
                    models.TextField(blank=True, help_text="Message of PodScheduled=False, as the scheduler wrote it."),
                ),
                (
                    "cluster",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="pods", to="pools.cluster"
                    ),
                ),
            ],
            options={
                "ordering": ["cluster", "namespace", "name"],
            },
        ),
        migrations.CreateModel(
            name="PodClaim",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("entry", models.CharField(max_length=63)),
                ("claim_name", models.CharField(blank=True, max_length=253)),
                ("template", models.CharField(blank=True, max_length=253)),
                (
                    "pod",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="claims", to="pools.pod"
                    ),
                ),
            ],
            options={
                "ordering": ["pod", "id"],
            },
        ),
        migrations.CreateModel(
            name="Pool",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("driver", models.CharField(max_length=253)),
                ("name", models.CharField(max_length=253)),
                ("node", models.CharField(blank=True, max_length=253)),
                ("state", models.CharField(help_text="complete, incomplete or invalid", max_length=10)),
                ("reason", models.TextField(blank=True)),
                ("generation", models.BigIntegerField()),
                ("slices_seen", models.PositiveIntegerField()),
                ("slices_expected", models.PositiveBigIntegerField()),
                ("form", models.CharField(max_length=32)),
                ("devices_total", models.PositiveIntegerField()),
                ("devices_allocated", models.PositiveIntegerField()),
                ("devices_available", models.PositiveIntegerField()),
                ("devices_blocked", models.PositiveIntegerField()),
                ("devices_tainted", models.PositiveIntegerField()),
                ("devices_unavailable", models.PositiveIntegerField()),
                ("revision", models.BigIntegerField(help_text="Cluster revision at which these rows were computed.")),
                ("as_of", models.DateTimeField(help_text="When these rows were computed.")),
                (
                    "cluster",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="pools", to="pools.cluster"
                    ),
                ),
            ],
            options={
                "ordering": ["cluster", "driver", "name"],
            },
        ),
        migrations.CreateModel(
            name="Finding",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("code", models.CharField(max_length=63)),
                ("object", models.CharField(max_length=800)),
                ("severity", models.CharField(help_text="error, warning or info", max_length=7)),
                (
                    "rank",
                    models.PositiveSmallIntegerField(
                        help_text="Severity as a number for sorting: 0 error, 1 warning, 2 info."
                    ),
                ),
                ("message", models.TextField()),
                (
                    "claim",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="findings",
                        to="pools.claim",
                    ),
                ),
                (
                    "cluster",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="findings", to="pools.cluster"
                    ),
                ),
                (
                    "pool",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.CASCADE, related_name="findings", to="pools.pool"
                    ),
                ),
            ],
            options={
                "ordering": ["cluster", "rank", "code", "object", "id"],
            },
        ),
        migrations.CreateModel(
            name="Device",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=253)),
                (
                    "position",
                    models.PositiveIntegerField(
                        help_text="Order in which the scheduler tries devices of the pool, from 0."
                    ),
                ),
                ("type", models.CharField(blank=True, max_length=253)),
                (
                    "state",
                    models.CharField(help_text="allocated, available, blocked, tainted or unavailable", max_length=11),
                ),
                ("reason_code", models.CharField(blank=True, max_length=31)),
                ("reason", models.TextField(blank=True)),
                ("shareable", models.BooleanField(default=False)),
                ("shares", models.PositiveIntegerField(default=0)),
                ("published", models.BooleanField(default=True)),
                (
                    "card",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.CASCADE, related_name="devices", to="pools.card"
                    ),
                ),
                (
                    "pool",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="devices", to="pools.pool"
                    ),
                ),
            ],
            options={
                "ordering": ["pool", "position", "id"],
            },
        ),
        migrations.AddField(
            model_name="counterset",
            name="pool",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="counter_sets", to="pools.pool"
            ),
        ),
        migrations.AddField(
            model_name="card",
            name="pool",
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="cards", to="pools.pool"),
        ),
        migrations.CreateModel(
            name="Allocation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("request", models.CharField(max_length=127)),
                ("driver", models.CharField(max_length=253)),
                ("pool_name", models.CharField(blank=True, max_length=253)),
                ("device_name", models.CharField(max_length=253)),
                ("guessed", models.BooleanField(default=False)),
                ("admin", models.BooleanField(default=False)),
                ("share_id", models.CharField(blank=True, max_length=64)),
                ("consumed", models.JSONField(default=dict)),
                (
                    "claim",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="allocations", to="pools.claim"
                    ),
                ),
                (
                    "device",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="allocations",
                        to="pools.device",
                    ),
                ),
                (
                    "pool",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="allocations",
                        to="pools.pool",
                    ),
                ),
            ],
            options={
                "ordering": ["claim", "id"],
            },
        ),
        migrations.CreateModel(
            name="PoolNode",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=253)),
                (
                    "pool",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="nodes", to="pools.pool"
                    ),
                ),
            ],
            options={
                "ordering": ["pool", "name"],
            },
        ),
        migrations.CreateModel(
            name="StoredObject",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=63)),
                ("namespace", models.CharField(blank=True, max_length=63)),
                ("name", models.CharField(max_length=253)),
                ("uid", models.CharField(blank=True, max_length=64)),
                ("resource_version", models.CharField(blank=True, max_length=64)),
                ("form", models.CharField(help_text="Wire form it was published in, such as v1 or e2.", max_length=32)),
                ("driver", models.CharField(blank=True, max_length=253)),
                ("pool", models.CharField(blank=True, max_length=253)),
                ("digest", models.BinaryField(max_length=32)),
                ("body", models.BinaryField()),
                ("received_at", models.DateTimeField()),
                (
                    "cluster",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="objects_received", to="pools.cluster"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="TypeCount",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("type", models.CharField(max_length=253)),
                ("total", models.PositiveIntegerField()),
                ("allocated", models.PositiveIntegerField()),
                ("available", models.PositiveIntegerField()),
                ("max_more", models.PositiveIntegerField(help_text="Most that can be allocated together now.")),
                ("first_fit", models.PositiveIntegerField(help_text="How many the scheduler's order would place.")),
                ("exact", models.BooleanField(default=True)),
                (
                    "card",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="type_counts",
                        to="pools.card",
                    ),
                ),
                (
                    "pool",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="type_counts", to="pools.pool"
                    ),
                ),
            ],
            options={
                "ordering": ["pool", "card", "id"],
            },
        ),
        migrations.AddIndex(
            model_name="claim",
            index=models.Index(fields=["cluster", "allocated"], name="claim_pending"),
        ),
        migrations.AddConstraint(
            model_name="claim",
            constraint=models.UniqueConstraint(fields=("cluster", "namespace", "name"), name="claim_identity"),
        ),
        migrations.AddConstraint(
            model_name="counter",
            constraint=models.UniqueConstraint(fields=("counter_set", "name"), name="counter_identity"),
        ),
        migrations.AddConstraint(
            model_name="node",
            constraint=models.UniqueConstraint(fields=("cluster", "name"), name="node_identity"),
        ),
        migrations.AddConstraint(
            model_name="pod",
            constraint=models.UniqueConstraint(fields=("cluster", "namespace", "name"), name="pod_identity"),
        ),
        migrations.AddIndex(
            model_name="podclaim",
            index=models.Index(fields=["claim_name"], name="pod_claim_name"),
        ),
        migrations.AddIndex(
            model_name="pool",
            index=models.Index(fields=["cluster", "node"], name="pool_node"),
        ),
        migrations.AddConstraint(
            model_name="pool",
            constraint=models.UniqueConstraint(fields=("cluster", "driver", "name"), name="pool_identity"),
        ),
        migrations.AddIndex(
            model_name="finding",
            index=models.Index(fields=["cluster", "rank", "code"], name="finding_list"),
        ),
        migrations.AddIndex(
            model_name="finding",
            index=models.Index(fields=["cluster", "object"], name="finding_object"),
        ),
        migrations.AddIndex(
            model_name="device",
            index=models.Index(fields=["pool", "position"], name="device_position"),
        ),
        migrations.AddIndex(
            model_name="device",
            index=models.Index(fields=["pool", "name"], name="device_name"),
        ),
        migrations.AddIndex(
            model_name="device",
            index=models.Index(fields=["state", "type"], name="device_state"),
        ),
        migrations.AddConstraint(
            model_name="counterset",
            constraint=models.UniqueConstraint(fields=("pool", "name"), name="counter_set_identity"),
        ),
        migrations.AddIndex(
            model_name="card",
            index=models.Index(fields=["model"], name="card_model"),
        ),
        migrations.AddConstraint(
            model_name="card",
            constraint=models.UniqueConstraint(fields=("pool", "key"), name="card_identity"),
        ),
        migrations.AddIndex(
            model_name="allocation",
            index=models.Index(fields=["driver", "pool_name", "device_name"], name="allocation_device"),
        ),
        migrations.AddIndex(
            model_name="poolnode",
            index=models.Index(fields=["name"], name="pool_node_name"),
        ),
        migrations.AddConstraint(
            model_name="poolnode",
            constraint=models.UniqueConstraint(fields=("pool", "name"), name="pool_node_identity"),
        ),
        migrations.AddIndex(
            model_name="storedobject",
            index=models.Index(
                condition=models.Q(("driver", ""), _negated=True),
                fields=["cluster", "driver", "pool"],
                name="object_pool",
            ),
        ),
        migrations.AddConstraint(
            model_name="storedobject",
            constraint=models.UniqueConstraint(fields=("cluster", "kind", "namespace", "name"), name="object_identity"),
        ),
        migrations.AddIndex(
            model_name="typecount",
            index=models.Index(fields=["type"], name="type_count_type"),
        ),
    ]

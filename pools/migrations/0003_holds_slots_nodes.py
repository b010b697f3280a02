import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("pools", "0002_guessed_pool"),
    ]

    operations = [
        migrations.AddField(
            model_name="card",
            name="slots",
            field=models.JSONField(
                default=list, help_text="[{stem, cells: [[namespace/claim, …], …]}], see domain SlotMap"
            ),
        ),
        migrations.AddField(
            model_name="counter",
            name="holds",
            field=models.JSONField(
                default=list, help_text="[{device, amount, claims: [{namespace, name, request, pods}]}]"
            ),
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
                "indexes": [models.Index(fields=["name"], name="pool_node_name")],
                "constraints": [models.UniqueConstraint(fields=("pool", "name"), name="pool_node_identity")],
            },
        ),
    ]

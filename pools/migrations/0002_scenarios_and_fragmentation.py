from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("pools", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="SavedScenario",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100, unique=True)),
                ("named", models.BooleanField(default=True)),
                ("document", models.JSONField(default=dict)),
                ("saved_at", models.DateTimeField(auto_now=True)),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.AddField(
            model_name="card",
            name="stranded",
            field=models.JSONField(
                default=list, help_text="[{name, free, stranded}] of what is measured and not all used"
            ),
        ),
        migrations.AddField(
            model_name="card",
            name="stranded_share",
            field=models.FloatField(default=0, help_text="Highest stranded/capacity, for sorting and colour only."),
        ),
        migrations.AddField(
            model_name="card",
            name="types_lost",
            field=models.PositiveIntegerField(default=0, help_text="Types of which more would fit, packed best."),
        ),
        migrations.AddField(
            model_name="typecount",
            name="repacked",
            field=models.PositiveIntegerField(
                help_text="As max_more, if the same allocations were packed best; empty until derived.", null=True
            ),
        ),
        migrations.AddField(
            model_name="typecount",
            name="repacked_exact",
            field=models.BooleanField(default=True),
        ),
    ]

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("pools", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="allocation",
            name="guessed",
            field=models.BooleanField(default=False),
        ),
    ]

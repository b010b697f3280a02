"""Pictures: data in, plotly figure or SVG out; no Django."""

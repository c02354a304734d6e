"""An MCP server: tools with which assistants use a deployment, by its REST API."""

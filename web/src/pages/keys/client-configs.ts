/** The addresses for clients; `mcpUrl` is null if the gateway is not configured. */
export type ClientUrls = { apiUrl: string; mcpUrl: string | null }

/** A configuration that gives a client its key. */
export type ClientConfig = {
  title: string
  /** Where to save it, and its prerequisites: a sentence. */
  where: string
  text: string
}

/** Replaces the key once it is no longer shown. */
export const keyPlaceholder = 'YOUR_KEY'

/** Programs and Terraform, over the REST API: for Growth and Scale accounts. */
export const apiConfigs = ({ apiUrl }: ClientUrls, key: string): ClientConfig[] => [
  {
    title: 'curl',
    where: 'In a shell. It says whose the key is and what it may do.',
    text: `curl -H "Authorization: Bearer ${key}" ${apiUrl}/me`,
  },
  {
    title: 'Command line',
    where: 'In a shell, before the first command. In a checkout, npm run -s service -- is service.',
    text: `export SERVICE_API_KEY=${key}
export SERVICE_API_URL=${apiUrl}
probe-mesh doctor`,
  },
  {
    title: 'Terraform',
    where: 'In a configuration; the key stays out of it, in the environment as SERVICE_API_KEY.',
    text: `# export SERVICE_API_KEY=${key}
terraform {
  required_providers {
    service = {
      source = "probe-mesh/service"
    }
  }
}

provider "service" {
  base_url = "${apiUrl}"
}`,
  },
]

const json = (value: unknown): string => JSON.stringify(value, null, 2)

/** Assistants, over the gateway: for every plan, also with read-only keys. */
export const mcpConfigs = (mcpUrl: string, key: string): ClientConfig[] => {
  const url = `${mcpUrl}/mcp`
  const bearer = `Bearer ${key}`
  return [
    {
      title: 'Claude Code',
      where: 'In a shell.',
      text: `claude mcp add --transport http probe-mesh ${url} --header "Authorization: ${bearer}"`,
    },
    {
      title: 'Claude Desktop',
      where:
        'In claude_desktop_config.json (Settings, Developer, Edit config). It needs Node, whose npx starts the bridge mcp-remote.',
      text: json({
        mcpServers: {
          'probe-mesh': {
            command: 'npx',
            // some systems split arguments at spaces, but not environment variables
            args: ['-y', 'mcp-remote', url, ...plainHttp(url), '--header', 'Authorization:${AUTH}'],
            env: { AUTH: bearer },
          },
        },
      }),
    },
    {
      title: 'Cursor',
      where: 'In .cursor/mcp.json of a project, or ~/.cursor/mcp.json for all of them.',
      text: json({ mcpServers: { 'probe-mesh': { url, headers: { Authorization: bearer } } } }),
    },
    {
      title: 'VS Code',
      where: 'In .vscode/mcp.json. The editor asks for the key once and keeps it.',
      text: json({
        inputs: [{ type: 'promptString', id: 'key', description: 'Probe Mesh key', password: true }],
        servers: {
          'probe-mesh': { type: 'http', url, headers: { Authorization: 'Bearer ${input:key}' } },
        },
      }),
    },
  ]
}

/** The bridge accepts an unencrypted address only with a flag. */
const plainHttp = (url: string): string[] => (url.startsWith('http:') ? ['--allow-http'] : [])

/** Where clients find what they ask; `mcpUrl` null when the gateway is not configured. */
export type ClientUrls = { apiUrl: string; mcpUrl: string | null }

/** What to write where, so that a client asks with a key. */
export type ClientConfig = {
  title: string
  /** Where it belongs, and what else it needs: a sentence. */
  where: string
  text: string
}

/** What stands where a key belongs, once the key is not shown any more. */
export const keyPlaceholder = 'YOUR_KEY'

/** Programs and Terraform, over the REST API: for a Growth or Scale account. Pure. */
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

/** Assistants, over the gateway: on every tier, with a key that may only read too. Pure. */
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
            // an argument with a space in it is cut by some systems: the environment is not
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

/** The bridge takes an address without encryption only with its flag. */
const plainHttp = (url: string): string[] => (url.startsWith('http:') ? ['--allow-http'] : [])

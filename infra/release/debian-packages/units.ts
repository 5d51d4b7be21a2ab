import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nodeEnvironment, programs } from '../../start/launch/programs.mjs'
import type { DebianName } from './packages.ts'

/** The installed copy of programs that share Node and packages. */
export const installedFolder = '/usr/lib/probe-mesh'
const source = 'infra/deploy/systemd'

/** @throws Error for a text without it, whose change would be lost in silence */
const replaceIn = (text: string, from: RegExp, to: string): string => {
  if (!from.test(text)) throw new Error(`${source} has no ${from}`)
  return text.replace(from, to)
}

/** A unit of a checkout, as a package has it: it starts the package's command, and names its document. */
export const unitOf = async (root: string, unit: string, name: DebianName): Promise<string> => {
  const text = await readFile(join(root, source, unit), 'utf8')
  const named = replaceIn(text, /^(Documentation=file:).*$/m, `$1/usr/share/doc/${name}/README.md`)
  if (!named.includes('/opt/probe-mesh')) return named
  const placed = replaceIn(named, /^WorkingDirectory=\/opt\/probe-mesh\n/m, '')
  return replaceIn(
    placed,
    /^ExecStart=\/opt\/probe-mesh\/\S+ --\S+ infra\/start\/launch\/run\.mjs (\S+)$/m,
    'ExecStart=/usr/bin/probe-mesh-$1',
  )
}

/**
 * A command of programs that share Node and packages. The operator's has the settings of the control plane's unit.
 * @returns a script of sh
 */
export const commandOf = async (root: string, program: string): Promise<string> => {
  const lines = startOf(program)
  if (program !== 'admin') return `#!/bin/sh\nset -eu\n${lines}`
  const text = await readFile(join(root, source, 'probe-mesh-admin'), 'utf8')
  return replaceIn(text, /^program=.*\nexec .*\n$/m, lines)
}

/** As npm's packages start it; NODE_OPTIONS of the operator replace its limits. */
const startOf = (program: string): string => {
  const flags = programs.find(({ name }) => name === program)?.flags ?? []
  const environment = Object.entries(nodeEnvironment).map(
    ([name, value]) => `export ${name}="\${${name}-${value}}"\n`,
  )
  const limits = flags.length === 0 ? '' : `export NODE_OPTIONS="\${NODE_OPTIONS-${flags.join(' ')}}"\n`
  const node = `${installedFolder}/bin/node --disable-warning=ExperimentalWarning --enable-source-maps`
  return `${environment.join('')}${limits}exec ${node} ${installedFolder}/program/${program}/${program}.mjs "$@"\n`
}

const commonSettings =
  '# Not for secrets: those are files in /etc/probe-mesh/secrets. After a change: systemctl restart.\n'

/** Examples of settings, which do nothing until an operator uncomments them. */
export const exampleSettings: Readonly<Record<string, string>> = {
  agent: `# Settings of every agent on this machine; probe-mesh-agent --help lists all.
# A second agent has its own PORT in agent-NAME.env.
${commonSettings}#REGION=fra
#NATS_URL=tls://nats.example.com:4222
#PUBLIC_URL=https://status.example.com
`,
  'mcp-gateway': `# Settings of the MCP gateway; probe-mesh-mcp-gateway --help lists all.
${commonSettings}#HOST=0.0.0.0
#PUBLIC_URL=https://status.example.com:8080
#MCP_URL=https://status.example.com:8081
#CONTROL_PLANE_URL=https://localhost:8080
`,
  'control-plane': `# Settings of the control plane and of probe-mesh-admin; probe-mesh-control-plane --help lists all.
${commonSettings}#HOST=0.0.0.0
#PUBLIC_URL=https://status.example.com:8080
#MCP_URL=https://status.example.com:8081
#REGIONS=fra
#VANTAGE=local
#NATS_URL=tls://localhost:4222
`,
}

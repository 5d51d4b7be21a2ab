import { gatewayEnvironment } from '@probe-mesh/mcp-gateway/config'
import { environmentHelp } from '@probe-mesh/runtime/env'

export const help = `Probe Mesh, one MCP gateway in a process of its own.

  npm run mcp-gateway
  npm run mcp-gateway -- --help           this text

Environment
${environmentHelp(gatewayEnvironment)}

A secret may be in a file: GATEWAY_KEY_FILE=/run/secrets/...

It stores nothing. Any number of gateways may answer behind one address, and each may be stopped at
any time. Stop it with SIGTERM: it finishes what is under way, within 15 seconds.
`

import { randomBytes } from 'node:crypto'
import { parseGatewayConfig, type ParsedGatewayConfig } from '@probe-mesh/mcp-gateway/config'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Parses the settings of the gateway in this process. Without GATEWAY_KEY it generates one: no other process
 * needs it. If the API listens on any free port, so does the gateway.
 */
export const parseOwnGateway = (environment: Environment): ParsedGatewayConfig =>
  parseGatewayConfig({
    ...environment,
    GATEWAY_KEY: given(environment['GATEWAY_KEY']) ?? randomBytes(32).toString('base64url'),
    MCP_PORT: given(environment['MCP_PORT']) ?? (environment['PORT'] === '0' ? '0' : undefined),
  })

const given = (value: string | undefined): string | undefined =>
  value === undefined || value.trim() === '' ? undefined : value

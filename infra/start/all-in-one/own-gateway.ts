import { randomBytes } from 'node:crypto'
import { parseGatewayConfig } from '@probe-mesh/mcp-gateway/config'
import type { ParsedGatewayConfig } from '@probe-mesh/mcp-gateway/config'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The gateway of the same process. It has a credential of its own where none is given, since nobody
 * else needs to know it; where the API takes a free port, so does it.
 */
export const parseOwnGateway = (environment: Environment): ParsedGatewayConfig =>
  parseGatewayConfig({
    ...environment,
    GATEWAY_KEY: given(environment['GATEWAY_KEY']) ?? randomBytes(32).toString('base64url'),
    MCP_PORT: given(environment['MCP_PORT']) ?? (environment['PORT'] === '0' ? '0' : undefined),
  })

const given = (value: string | undefined): string | undefined =>
  value === undefined || value.trim() === '' ? undefined : value

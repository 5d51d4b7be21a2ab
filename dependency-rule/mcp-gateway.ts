import {
  ban,
  bus,
  clickhouse,
  fastify,
  folders,
  nats,
  otherPrograms,
  postgres,
  restricted,
} from './ban.ts'

const gateway = [otherPrograms('mcp-gateway'), bus, postgres, clickhouse, nats]
const sdk = ban(['@modelcontextprotocol/*'], 'Only protocol/ knows how tools are asked for.')
/** http, protocol, tools, upstream: downward only. */
export const gatewayRules = [
  restricted(['mcp-gateway/src/**/*.ts'], gateway),
  ...(
    [
      ['protocol', ['http'], []],
      ['tools', ['http', 'protocol'], [sdk]],
      ['upstream', ['http', 'protocol', 'tools'], [sdk]],
    ] as const
  ).map(([own, above, more]) =>
    restricted(
      [`mcp-gateway/src/${own}/**/*.ts`],
      [...gateway, fastify, ...more, folders([...above], 'http, protocol, tools, upstream: down.')],
    ),
  ),
]

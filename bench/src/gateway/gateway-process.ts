// An MCP server in a process of its own: the gateway, a hand-written handler, or the SDK's example.
import { createGateway } from '@probe-mesh/mcp-gateway/gateway'
import { connectControlPlane } from '@probe-mesh/mcp-gateway/upstream/control-plane'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { Registry } from 'prom-client'
import { answerParent } from '../harness/child.ts'
import { createExample } from './example.ts'
import { createHandHandler } from './hand-handler.ts'
import { usageOfProcess } from '../harness/usage.ts'

export type GatewayQuestion = ServerQuestion | { kind: 'usage' }
type ServerQuestion = { kind: 'gateway' | 'hand' | 'example'; apiUrl: string; gatewayKey: string }

const startServer = ({ kind, ...upstream }: ServerQuestion): FastifyInstance => {
  switch (kind) {
    case 'gateway': {
      const hosts = ['127.0.0.1']
      return createGateway(
        {
          controlPlane: connectControlPlane(upstream),
          registry: new Registry(),
          log: pino({ level: 'warn' }),
          now: Date.now,
        },
        { allowedHosts: hosts, allowedOrigins: hosts, trustProxy: false },
      )
    }
    case 'hand':
      return createHandHandler(upstream)
    case 'example':
      return createExample(upstream)
    default:
      return kind satisfies never
  }
}

answerParent<GatewayQuestion>(async (question) =>
  question.kind === 'usage' ? usageOfProcess() : startServer(question).listen({ host: '127.0.0.1', port: 0 }),
)

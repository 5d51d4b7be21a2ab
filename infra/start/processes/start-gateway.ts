import type { GatewayConfig } from '@probe-mesh/mcp-gateway/config'
import { createGateway } from '@probe-mesh/mcp-gateway/gateway'
import { connectControlPlane } from '@probe-mesh/mcp-gateway/upstream/control-plane'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { readCertificate } from './read-certificate.ts'

/** Starts a gateway. @returns its address, and a stop that finishes requests in progress */
export const startGateway = async (
  config: GatewayConfig,
  { registry, log, now }: { registry: Registry; log: Logger; now: () => number },
): Promise<{ address: string; close(): Promise<void> }> => {
  const tls = await readCertificate(config.tls)
  const controlPlane = connectControlPlane(config)
  const app = createGateway({ controlPlane, registry, log, now, tls }, config)
  try {
    const address = await app.listen({ host: config.host, port: config.port })
    return {
      address,
      close: async () => {
        await app.close()
        await controlPlane.close()
      },
    }
  } catch (error) {
    await controlPlane.close()
    throw error
  }
}

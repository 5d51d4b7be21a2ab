import { createLog } from '../../log.ts'
import type { ProviderHandlers } from '../../wire/messages.ts'
import { createGrpcServer } from '../../wire/server.ts'
import { createMethods } from '../../wire/services.ts'
import { protocolVersion } from '../invitation.ts'
import { listen } from '../serve.ts'

/**
 * A provider within this process, to which Terraform attaches itself instead of starting one. All
 * its aliases share it then, and the last that is configured counts.
 *
 * @param options.address of the provider, as a configuration names its source
 * @returns what TF_REATTACH_PROVIDERS holds for it
 */
export const startAttached = async (options: {
  address: string
  handlers: ProviderHandlers
}): Promise<{ reattach: string; close(): void }> => {
  const log = createLog({
    lowest: 'error',
    module: options.address,
    now: () => new Date(),
    write: (line) => process.stderr.write(line),
  })
  // a provider that Terraform attached to is not ended by Terraform
  const methods = createMethods(options.handlers, () => {})
  const server = createGrpcServer({ methods, tls: null, log })
  const { at, remove } = await listen(server, process.platform)
  const attached = {
    Protocol: 'grpc',
    ProtocolVersion: Number(protocolVersion),
    Pid: process.pid,
    Test: true,
    Addr: { Network: at.network, String: at.address },
  }
  return {
    reattach: JSON.stringify({ [options.address]: attached }),
    close: () => {
      server.close()
      remove()
    },
  }
}

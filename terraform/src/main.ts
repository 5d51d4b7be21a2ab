import { serve } from './protocol/handshake/serve.ts'
import { createHandlers } from './protocol/server/create-handlers.ts'
import { valueCodec } from './protocol/values/codec.ts'
import { createProvider } from './provider.ts'

/** The executable `terraform-provider-service`, which Terraform starts and calls over a socket. */
const provider = createProvider({ environment: process.env })

void serve({
  name: 'terraform-provider-service',
  createHandlers: (log) => createHandlers(provider, { codec: valueCodec, log }),
})

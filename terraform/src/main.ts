import { serve } from './protocol/handshake/serve.ts'
import { createHandlers } from './protocol/server/create-handlers.ts'
import { decodeDynamic, encodeDynamic } from './protocol/values/dynamic.ts'
import { createProvider } from './provider.ts'

/** The executable `terraform-provider-service`: Terraform starts it, and speaks to it over its socket. */
const provider = createProvider({ environment: process.env })
const codec = { decode: decodeDynamic, encode: encodeDynamic }

void serve({
  name: 'terraform-provider-service',
  createHandlers: (log) => createHandlers(provider, { codec, log }),
})

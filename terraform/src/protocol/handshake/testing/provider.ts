// A provider of one resource that only its schema is known of: a process for serve.test.ts.
import { handlersWith } from '../../wire/testing.ts'
import { serve } from '../serve.ts'

const attribute = { name: 'name', type: Buffer.from('"string"'), required: true }
const schema = { version: 1, block: { version: 1, attributes: [attribute] } }

await serve({
  name: 'terraform-provider-example',
  createHandlers: (log) =>
    handlersWith({
      getProviderSchema: () => {
        log('info', 'the schema was asked for')
        return Promise.resolve({
          provider: { version: 0, block: {} },
          resourceSchemas: { example_thing: schema },
          serverCapabilities: { getProviderSchemaOptional: true },
        })
      },
    }),
})

import {
  ban,
  bus,
  clickhouse,
  effects,
  fastify,
  folders,
  nats,
  otherPrograms,
  postgres,
  restricted,
} from './ban.ts'

const terraform = [otherPrograms('terraform'), bus, fastify, postgres, clickhouse, nats]
const product = ban(
  ['zod', '@probe-mesh/*', '@probe-mesh/**'],
  'The protocol knows nothing of the product.',
)
const productFolders = folders(
  ['api', 'resources', 'data-sources'],
  'The protocol knows nothing of the product.',
)
const rpc = ban(
  ['node:http2', 'node:tls', '**/protocol/{handshake,wire,values,server,plan,state}/**'],
  'A resource knows nothing of how Terraform is spoken to.',
)

/** protocol beside api; resources and data sources above both, and none of them knows the wire. */
export const terraformRules = [
  restricted(['terraform/src/**/*.ts'], terraform),
  restricted(['terraform/src/protocol/**/*.ts'], [...terraform, product, productFolders]),
  restricted(
    ['terraform/src/protocol/{plan,state}/**/*.ts'],
    [
      ...terraform,
      product,
      productFolders,
      effects,
      folders(['wire', 'values', 'server', 'handshake'], 'Planning is pure.'),
    ],
  ),
  restricted(
    ['terraform/src/api/**/*.ts'],
    [...terraform, rpc, folders(['resources', 'data-sources'], 'api, resources: downward.')],
  ),
  restricted(['terraform/src/{resources,data-sources}/**/*.ts'], [...terraform, rpc, effects]),
]

import {
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

const web = [otherPrograms('web'), bus, postgres, clickhouse, nats]
const order = 'http, pages, api, charts and html: downward only.'

/** http speaks to browsers; pages decide what they are given, from what api asks; html and charts are pure. */
export const webRules = [
  restricted(['web/src/**/*.ts'], web),
  restricted(['web/src/pages/**/*.ts'], [...web, fastify, effects, folders(['http'], order)]),
  restricted(['web/src/api/**/*.ts'], [...web, fastify, folders(['http', 'pages'], order)]),
  restricted(
    ['web/src/{charts,html,style}/**/*.ts'],
    [...web, fastify, effects, folders(['http', 'pages', 'api'], order)],
  ),
]

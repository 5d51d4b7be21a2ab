import type { Probes } from '@probe-mesh/contracts/agent/probes'
import { probesRoute } from '@probe-mesh/contracts/agent/probes'
import type { FastifyInstance } from 'fastify'
import { bindPreflight } from '../http/any-origin.ts'
import { sendDocument } from '../status-pages/public/public-document.ts'

/** Agents come and go within minutes, and firewalls that follow this list ask every hour or so. */
const form = { type: 'application/json; charset=utf-8', maxAgeSeconds: 300 }

/** `/probes.json`: no key, any origin, and nothing is asked of a store. */
export const bindProbes = (app: FastifyInstance, probes: () => Probes): void => {
  app.get(probesRoute.path, (request, reply) =>
    sendDocument(request, reply, form, JSON.stringify(probes(), null, 2)),
  )
  bindPreflight(app, probesRoute.path)
}

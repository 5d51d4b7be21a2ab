// A server in a process of its own: the real app with its pages, or Fastify with one empty page.
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import { answersOf } from '@probe-mesh/control-plane/outage/answers/testing'
import { oneVisit } from '@probe-mesh/control-plane/http/one-visit'
import { createWeb } from '@probe-mesh/web/web'
import fastify from 'fastify'
import { answerParent } from '../child.ts'
import { createBenchApp } from '../http-servers.ts'
import { usageOfProcess } from '../usage.ts'

export type WebQuestion =
  | { kind: 'app'; databaseUrl: string; clickhouseUrl: string; folder: string }
  | { kind: 'empty' }
  | { kind: 'usage' }

const loopback = { host: '127.0.0.1', port: 0 }
const emptyPage =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Empty</title></head><body><p>Empty.</p></body></html>'

answerParent<WebQuestion>(async (question) => {
  switch (question.kind) {
    case 'app': {
      const bus = await openInProcessBus({ directory: question.folder })
      const app = createBenchApp(question, { bus, answers: answersOf() })
      const inject = app.inject.bind(app)
      await app.register(
        createWeb({
          inject: (request) => inject(request),
          oneVisit,
          apiUrl: 'http://127.0.0.1/v1',
          mcpUrl: null,
        }),
      )
      return app.listen(loopback)
    }
    case 'empty': {
      const app = fastify()
      app.get('/', (_request, reply) =>
        reply.header('content-type', 'text/html; charset=utf-8').send(emptyPage),
      )
      return app.listen(loopback)
    }
    case 'usage':
      return usageOfProcess()
    default:
      return question satisfies never
  }
})

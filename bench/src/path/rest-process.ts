// A server in a process of its own: the real app, or Fastify with one constant answer.
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import { answersOf } from '@probe-mesh/control-plane/outage/answers/testing'
import { answerParent } from '../child.ts'
import { createBenchApp, createConstant } from '../http-servers.ts'
import { usageOfProcess } from '../usage.ts'

export type RestQuestion =
  | { kind: 'app'; databaseUrl: string; clickhouseUrl: string; folder: string }
  | { kind: 'constant'; body: string }
  | { kind: 'usage' }

const loopback = { host: '127.0.0.1', port: 0 }
const maxParamLength = 100

answerParent<RestQuestion>(async (question) => {
  switch (question.kind) {
    case 'app': {
      const bus = await openInProcessBus({ directory: question.folder })
      return createBenchApp(question, { bus, answers: answersOf() }).listen(loopback)
    }
    case 'constant':
      return createConstant('/v1/checks/:id', question.body, maxParamLength).listen(loopback)
    case 'usage':
      return usageOfProcess()
    default:
      return question satisfies never
  }
})

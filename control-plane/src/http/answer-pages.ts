import { ReportInput } from '@probe-mesh/contracts/answers'
import { isRefusal, refuseInvalid } from '@probe-mesh/contracts/refusal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { answerPagePolicy } from '../answer-pages/frame.ts'
import { internetPage } from '../answer-pages/internet-page.ts'
import { uncoveredPage } from '../answer-pages/missing-pages.ts'
import { receiptPage, servicePage } from '../answer-pages/service-page.ts'
import { servicesPage } from '../answer-pages/services-page.ts'
import { stackPage } from '../answer-pages/stack-page.ts'
import { weatherPage } from '../answer-pages/weather-page.ts'
import type { AnswersContext } from '../answers/context.ts'
import { getReportVolume } from '../answers/get-report-volume.ts'
import { getStack } from '../answers/get-stack.ts'
import { internetWeather } from '../answers/internet-weather.ts'
import { isServiceDown } from '../answers/is-service-down.ts'
import { isTheInternetDown } from '../answers/is-the-internet-down.ts'
import { listServices } from '../answers/list-services.ts'
import { reportProblem } from '../answers/report-problem.ts'
import { acceptForms, formBytesMax } from './form-body.ts'
import { addressOf } from './gateway-trust.ts'
import type { KeylessBudget } from './keyless-budget.ts'
import { readOutagesInTime } from './outages-in-time.ts'
import { problemsAsPages } from './problem-page.ts'
import { sendRefusal } from './send-refusal.ts'

/** As long as the answers themselves (`answers.ts`): a page says the instants that it is about. */
const cacheControl = 'public, max-age=5'

/**
 * The pages that answers cite (`url`), for people: the same verbs, the same budget of the client's
 * address, no key, no cookie, no script, and nothing is noted of who asks.
 */
export const bindAnswerPages = (
  app: FastifyInstance,
  { context, budget }: { context: AnswersContext; budget: KeylessBudget },
): void => {
  void app.register(async (scope) => {
    acceptForms(scope)
    scope.addHook('onRequest', budget.hook)
    scope.addHook('onSend', problemsAsPages)
    const wholeCatalog = {
      '/services': () => servicesPage(listServices(context)),
      '/weather': () => weatherPage(internetWeather(context)),
      '/internet': () => internetPage(isTheInternetDown(context)),
    }
    for (const [path, make] of Object.entries(wholeCatalog)) {
      const page = oncePerSecond(context.now, make)
      scope.get(path, (_request, reply) => sendPage(reply, page()))
    }
    scope.get<Named>('/services/:name', (request, reply) => sendService(context, request, reply))
    scope.get<Named>('/stacks/:name', (request, reply) => {
      const answer = getStack(context, { params: { idOrSlug: request.params.name } })
      return isRefusal(answer) ? sendRefusal(reply, answer) : sendPage(reply, stackPage(answer))
    })
    // Not asked whether it comes from this site: there is no session to misuse, and any site may
    // post to the same verb's JSON route, as may anybody without a browser.
    scope.post<Named>('/services/:name/reports', { bodyLimit: formBytesMax }, (request, reply) =>
      takeReport(context, request, reply),
    )
  })
}

type Named = { Params: { name: string } }

const sendService = async (
  context: AnswersContext,
  { params }: FastifyRequest<Named>,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const input = { params: { slug: params.name } }
  const incidents = await readOutagesInTime(context, input)
  // after the wait, so that the reading is a current one
  const status = isServiceDown(context, { ...input, query: {} })
  const { service } = status
  if (service === null) return sendPage(reply.code(404), uncoveredPage(status))
  const reports = getReportVolume(context, input)
  const { regions } = context
  return sendPage(reply, servicePage({ service, status, reports, incidents, regions }))
}

const takeReport = (
  context: AnswersContext,
  request: FastifyRequest<Named>,
  reply: FastifyReply,
): FastifyReply => {
  const body = ReportInput.safeParse(request.body ?? {})
  if (!body.success) return sendRefusal(reply, refuseInvalid([body.error]))
  const input = { params: { slug: request.params.name }, body: body.data }
  const receipt = reportProblem(context, input, addressOf(request))
  return receipt.service === null
    ? sendPage(reply.code(404), uncoveredPage(receipt))
    : sendPage(reply, receiptPage(receipt.service, receipt))
}

const sendPage = (reply: FastifyReply, page: string): FastifyReply =>
  reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', answerPagePolicy)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header(
      'cache-control',
      reply.statusCode === 200 && reply.request.method !== 'POST' ? cacheControl : 'no-store',
    )
    .send(page)

/** A page about the whole catalog is long: it is made once a second however many ask. */
const oncePerSecond = (now: () => number, make: () => string): (() => string) => {
  let made = { second: Number.NaN, page: '' }
  return () => {
    const second = Math.floor(now() / 1000)
    if (made.second !== second) made = { second, page: make() }
    return made.page
  }
}

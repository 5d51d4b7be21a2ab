import type { FastifyInstance, FastifyReply } from 'fastify'
import { answerPagePolicy } from '../answer-pages/frame.ts'
import { internetPage } from '../answer-pages/internet-page.ts'
import { weatherPage } from '../answer-pages/weather-page.ts'
import type { AnswersContext } from '../answers/context.ts'
import { internetWeather } from '../answers/internet-weather.ts'
import { isTheInternetDown } from '../answers/is-the-internet-down.ts'
import type { KeylessBudget } from './keyless-budget.ts'
import { problemsAsPages } from './problem-page.ts'

/** As long as the answers themselves (`answers.ts`): a page says the instants that it is about. */
const cacheControl = 'public, max-age=5'

/**
 * The pages of the weather and of the internet that answers cite (`url`), for people: the same verbs,
 * the same budget of the client's address, no key, no cookie, no script, and nothing is noted of who
 * asks.
 */
export const bindAnswerPages = (
  app: FastifyInstance,
  { context, budget }: { context: AnswersContext; budget: KeylessBudget },
): void => {
  void app.register(async (scope) => {
    scope.addHook('onRequest', budget.hook)
    scope.addHook('onSend', problemsAsPages)
    const wholeCatalog = {
      '/weather': () => weatherPage(internetWeather(context)),
      '/internet': () => internetPage(isTheInternetDown(context)),
    }
    for (const [path, make] of Object.entries(wholeCatalog)) {
      const page = oncePerSecond(context.now, make)
      scope.get(path, (_request, reply) => sendPage(reply, page()))
    }
  })
}

const sendPage = (reply: FastifyReply, page: string): FastifyReply =>
  reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', answerPagePolicy)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', cacheControl)
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

import type { Dispatcher } from 'undici'

/** An answer of the API as it came. */
export type Response = {
  status: number
  headers: Dispatcher.ResponseData['headers']
  body: string
}

/**
 * One request and its whole answer. As a handler of undici's own, since the stream that `request`
 * makes of every body costs as much as all the rest of a call.
 */
export const exchange = (
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
): Promise<Response> =>
  new Promise((resolve, reject) => {
    let [status, headers]: [number, Response['headers']] = [0, {}]
    const chunks: Buffer[] = []
    dispatcher.dispatch(request, {
      onRequestStart: () => {},
      onResponseStart: (_, statusCode, received) => {
        status = statusCode
        headers = received
      },
      onResponseData: (_, chunk) => {
        chunks.push(chunk)
      },
      onResponseEnd: () => {
        const [first] = chunks
        const whole = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
        resolve({ status, headers, body: whole.toString('utf8') })
      },
      onResponseError: (_, error) => reject(error),
    })
  })

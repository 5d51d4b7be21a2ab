import { oneLine, failedToSend, type SendFailure, type SendResult } from '../outgoing/send-result.ts'
import { isAddress, toMail, type MailMessage, type Sender } from './mail.ts'

export type Mailer = {
  /**
   * Sends a mail once. Failures of the server are values.
   * @param mail.id the same at every attempt: the Message-ID
   * @throws the signal's reason once it aborts, unless that is a timeout
   */
  send(
    mail: { id: string; recipient: string; message: MailMessage },
    signal: AbortSignal,
  ): Promise<SendResult>
  close(): void
}

const connectionsMax = 5
const mailsPerConnectionMax = 100
const connectMsMax = 10_000
const idleMsMax = 20_000
const detailCharactersMax = 200

/**
 * Sends mail through the server of SMTP_URL, over a few pooled connections.
 * @param options.smtpUrl `smtp://user:password@host:port`, or `smtps://` for TLS from the start
 */
export const createMailer = (options: { smtpUrl: string; from: Sender }): Mailer => {
  let opened: ReturnType<typeof openTransport> | null = null
  const open = (): ReturnType<typeof openTransport> => {
    opened ??= openTransport(options.smtpUrl).catch((error: unknown) => {
      opened = null
      throw error
    })
    return opened
  }
  return {
    send: async (mail, signal) => {
      if (!isAddress(mail.recipient)) {
        return failedToSend('refused', 'the address is not valid', 'fail')
      }
      try {
        const content = toMail(mail, options.from)
        const envelope = { from: options.from.address, to: [mail.recipient] }
        const transport = await open()
        const info = await transport.sendMail({ ...content, envelope, signal })
        return { ok: true, httpStatus: null, detail: shown(info.response) }
      } catch (error) {
        return failureOf(error, signal)
      }
    },
    close: () => void opened?.then((transport) => transport.close()).catch(() => undefined),
  }
}

/** Loads the library with the first mail. */
const openTransport = async (url: string) =>
  (await loadNodemailer()).createTransport({
    url,
    pool: true,
    maxConnections: connectionsMax,
    maxMessages: mailsPerConnectionMax,
    connectionTimeout: connectMsMax,
    greetingTimeout: connectMsMax,
    dnsTimeout: connectMsMax,
    socketTimeout: idleMsMax,
    // no content of a mail is read from files or URLs
    disableFileAccess: true,
    disableUrlAccess: true,
  })

const loadNodemailer = () => import('nodemailer')

/**
 * The meaning of an SMTP error. 5xx for the envelope or the message is permanent; 5xx before that, such as
 * for the login, is about the settings and not the mail, and is retried like 4xx.
 */
const failureOf = (error: unknown, signal: AbortSignal): SendFailure => {
  if (signal.aborted) {
    if (isTimeout(signal.reason)) return failedToSend('timeout', 'no answer in time')
    throw signal.reason
  }
  const { code, responseCode, response } = smtpErrorOf(error)
  if (responseCode === null) return failedToSend('network', `the mail server: ${code}`)
  const detail = shown(response)
  const aboutTheMail = code === 'EENVELOPE' || code === 'EMESSAGE'
  if (responseCode >= 500 && aboutTheMail) return failedToSend('refused', detail, 'fail')
  return failedToSend(responseCode >= 500 ? 'refused' : 'receiver', detail)
}

const shown = (response: string): string => oneLine(response).slice(0, detailCharactersMax)

const isTimeout = (reason: unknown): boolean =>
  reason instanceof DOMException && reason.name === 'TimeoutError'

/** The fields that nodemailer adds to its errors. */
const smtpErrorOf = (error: unknown): { code: string; responseCode: number | null; response: string } => {
  const known = error as { code?: unknown; responseCode?: unknown; response?: unknown }
  return {
    code: typeof known.code === 'string' ? known.code : 'unknown error',
    responseCode: typeof known.responseCode === 'number' ? known.responseCode : null,
    response: typeof known.response === 'string' ? known.response : '',
  }
}

/**
 * Checks that the server of SMTP_URL accepts a connection and the login. Sends no mail.
 * @throws the server's error, or the reason why it does not answer
 */
export const checkMailServer = async (smtpUrl: string, timeoutMs: number): Promise<void> => {
  const { createTransport } = await loadNodemailer()
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  })
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}

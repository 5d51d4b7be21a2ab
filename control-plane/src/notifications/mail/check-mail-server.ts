import { createTransport } from 'nodemailer'

/**
 * Whether the server of SMTP_URL lets us in: it is greeted, logged in to, and sent nothing.
 * @throws what it says, or why it does not answer
 */
export const checkMailServer = async (smtpUrl: string, timeoutMs: number): Promise<void> => {
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

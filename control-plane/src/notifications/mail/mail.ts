/** A mail without its addresses, as plain text and as HTML with the same content. */
export type MailMessage = {
  subject: string
  text: string
  html: string
  /** One-click unsubscribe (RFC 8058): the URL that the mail program posts to. */
  unsubscribeUrl?: string
  /** The mail has a link that acts for its holder: only the receiver may see it. */
  isPrivate?: true
  /** The link of a private mail logs in as the receiver. */
  logsIn?: true
}

/** A mail for the transport. Addresses are objects, so that none is parsed as several. */
export type Mail = {
  from: { name: string; address: string }
  to: { name: string; address: string }
  messageId: string
  subject: string
  text: string
  html: string
  headers: Record<string, string>
}

/**
 * A message as a mail. Its Message-ID is the id of the delivery, the same at every attempt, so that mailboxes
 * recognise repeats. `Auto-Submitted` prevents vacation replies (RFC 3834); one-click unsubscribe is
 * RFC 8058.
 */
export const toMail = (
  { id, recipient, message }: { id: string; recipient: string; message: MailMessage },
  from: Sender,
): Mail => ({
  from,
  to: { name: '', address: recipient },
  messageId: `<${id}@${from.address.split('@').at(-1)}>`,
  subject: message.subject.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim(),
  text: message.text,
  html: message.html,
  headers: {
    'Auto-Submitted': 'auto-generated',
    ...(message.unsubscribeUrl === undefined
      ? {}
      : {
          'List-Unsubscribe': `<${new URL(message.unsubscribeUrl).href}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        }),
  },
})

export type Sender = { name: string; address: string }

/** One address: no list, no comment, no character that would continue a header or an SMTP command. */
const address = /^[^\s@<>(),;:"\\[\]\p{Cc}]{1,64}@[^\s@<>(),;:"\\[\]\p{Cc}]{1,255}$/u

/** Parses `status@example.org` or `Status of Acme <status@example.org>`; null for any other text. */
export const parseSender = (text: string): Sender | null => {
  const named = /^"?([^"<>\p{Cc}]*)"?(?<!\s)\s*<([^<>]+)>$/u.exec(text)
  const sender =
    named === null ? { name: '', address: text } : { name: (named[1] ?? '').trim(), address: named[2] ?? '' }
  return isAddress(sender.address) ? sender : null
}

export const isAddress = (text: string): boolean => address.test(text)

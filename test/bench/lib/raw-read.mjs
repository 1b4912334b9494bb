import { createInbox } from 'nats'

/** The floor of reading: asks for a subject in as few requests as the server allows, and looks at no byte. */
export function rawRead(nc, { stream, subject, messages }) {
  return new Promise((resolve, reject) => {
    const inbox = createInbox()
    const seen = { messages: 0, last: 0 }
    const ask = (seq) => {
      const query = JSON.stringify({ seq, next_by_subj: subject, batch: 512 })
      nc.publish(`$JS.API.DIRECT.GET.${stream}`, query, { reply: inbox })
    }
    const subscription = nc.subscribe(inbox, {
      callback: (error, message) => {
        if (error) {
          reject(error)
          return
        }
        if (message.data.length === 0) {
          ask(seen.last + 1)
          return
        }
        seen.messages += 1
        seen.last = Number(message.headers.get('Nats-Sequence'))
        if (seen.messages < messages) return
        subscription.unsubscribe()
        resolve(seen.last)
      },
    })
    ask(1)
  })
}

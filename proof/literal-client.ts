/*
 * A client written only from section 7 of the specification: its paths, payloads and fields, plain fetch, no cursor, no
 * cookie and no code of ours. It stores what the specification says a client stores.
 */

type Admin = { id: string; username: string; role: string; createdAt: string };
type Ticket = { id: string; type: string; description: string; username: string; status: string; createdAt: string };
type Reply = { id: string; sender: string; message: string; createdAt: string };

/** A failed call; the message is the error field of the response, which the client shows. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, error: string) {
    super(error);
    this.status = status;
  }
}

export class LiteralClient {
  readonly #host: string;
  #token: string | undefined;
  admins: Admin[] = [];
  tickets: Ticket[] = [];

  constructor(host: string) {
    this.#host = host;
  }

  async login(username: string, password: string) {
    const { token } = await this.#call<{ token: string }>('POST', '/admin/login', { username, password });
    this.#token = token;
  }

  async loadAdmins() {
    this.admins = (await this.#call<{ admins: Admin[] }>('GET', '/admin/all')).admins;
  }

  async signUp(form: { username: string; password: string; confirmPassword: string; role: string }) {
    this.admins.push((await this.#call<{ admin: Admin }>('POST', '/admin/signup', form)).admin);
  }

  async deleteAdmin(username: string) {
    await this.#call('POST', '/admin/delete', { username });
    this.admins = this.admins.filter((admin) => admin.username !== username);
  }

  async loadTickets() {
    this.tickets = (await this.#call<{ tickets: Ticket[] }>('GET', '/tickets/all')).tickets;
  }

  async openTicket(type: string, description: string) {
    this.tickets.unshift(await this.#call<Ticket>('POST', '/tickets', { type, description }));
  }

  readTicket(id: string) {
    return this.#call<{ ticket: Ticket; replies: Reply[] }>('GET', `/tickets/${id}`);
  }

  setStatus(id: string, status: string) {
    return this.#call('PATCH', `/tickets/${id}/status`, { status });
  }

  reply(id: string, message: string) {
    return this.#call('POST', `/tickets/${id}/reply`, { message });
  }

  async #call<Answer>(method: string, path: string, payload?: unknown): Promise<Answer> {
    const response = await fetch(`${this.#host}/api${path}`, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(this.#token !== undefined && { Authorization: `Bearer ${this.#token}` }),
      },
      ...(payload !== undefined && { body: JSON.stringify(payload) }),
    });
    const answer = (await response.json()) as Answer & { error: string };
    if (!response.ok) throw new Refused(response.status, answer.error);
    return answer;
  }
}

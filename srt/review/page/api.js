// Requests to the server. Every result is {status, data}; after a failure, data.error says what went wrong.

const TOKEN = new URLSearchParams(location.search).get("token") ?? "";

async function ask(path, body) {
  const headers = { "X-SRT-Token": TOKEN, ...(body && { "Content-Type": "application/json" }) };
  try {
    const response = await fetch(path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) });
    const failed = () => ({ error: `srt review failed (${response.status}). Its terminal says why. Nothing was saved.` });
    return { status: response.status, data: await response.json().catch(failed) };
  } catch {
    return { status: 0, data: { error: "srt review does not answer. If it was stopped, start it again; everything saved is kept." } };
  }
}

export const loadSession = () => ask("api/session");
export const loadCase = (index) => ask(`api/cases/${index}`);
export const checkDraft = (index, draft) => ask(`api/cases/${index}/check`, draft);
export const sendDecision = (index, decision) => ask(`api/cases/${index}/decide`, decision);

// The object URL of picture `number` (from 1), to be revoked later. Throws the error message as text.
export async function loadPicture(index, number) {
  const response = await fetch(`api/cases/${index}/pictures/${number}`, { headers: { "X-SRT-Token": TOKEN } });
  if (!response.ok) throw (await response.json()).error;
  return URL.createObjectURL(await response.blob());
}

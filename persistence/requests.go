package persistence

import (
	"betcode/messages"
	storev1 "betcode/proto/betcode/store/v1"
)

// More of the pairs: what waits for somebody.

func storeInput(r *messages.InputRecord) *storev1.Input {
	return &storev1.Input{
		Version: recordVersion,
		Seq:     uint64(r.Seq),
		Client:  string(r.Client),
		State:   uint32(r.State),
		Run:     uint64(r.Run),
		At:      storeTime(r.At),
	}
}

func storeBody(r *messages.InputRecord) *storev1.Body {
	body := &storev1.Body{Version: recordVersion, Content: r.Content}
	for _, a := range r.Attachments {
		body.Attachments = append(body.Attachments,
			&storev1.Attachment{Filename: a.Filename, MimeType: a.MimeType, Data: a.Data})
	}
	return body
}

func loadInput(key string, i *storev1.Input, body *storev1.Body) messages.InputRecord {
	r := messages.InputRecord{
		Key:     key,
		Seq:     messages.Seq(i.GetSeq()),
		Content: body.GetContent(),
		Client:  messages.ClientID(i.GetClient()),
		State:   messages.InputState(i.GetState()),
		Run:     messages.RunNumber(i.GetRun()),
		At:      loadTime(i.GetAt()),
	}
	for _, a := range body.GetAttachments() {
		r.Attachments = append(r.Attachments,
			messages.Attachment{Filename: a.GetFilename(), MimeType: a.GetMimeType(), Data: a.GetData()})
	}
	return r
}

func storePermission(r *messages.PermissionRecord) *storev1.Permission {
	return &storev1.Permission{
		Version:          recordVersion,
		Run:              uint64(r.Run),
		Seq:              uint64(r.Seq),
		Tool:             r.Tool,
		ToolUse:          r.ToolUse,
		Agent:            r.Agent,
		Description:      r.Description,
		Input:            r.Input,
		Suggestions:      r.Suggestions,
		Applied:          r.Applied,
		Question:         r.Question,
		ReceivedAt:       storeTime(r.ReceivedAt),
		ForwardedAt:      storeTime(r.ForwardedAt),
		ExpiresAt:        storeTime(r.ExpiresAt),
		LastExtendedAt:   storeTime(r.LastExtendedAt),
		ExtensionCount:   r.ExtensionCount,
		Reminder_1HSent:  r.Reminder1hSent,
		Reminder_24HSent: r.Reminder24hSent,
		Decision:         uint32(r.Decision),
		DecidedAt:        storeTime(r.DecidedAt),
		DecidedBy:        r.DecidedBy,
		Message:          r.Message,
		Updated:          r.Updated,
		Answers:          r.Answers,
		OrphanedAt:       storeTime(r.OrphanedAt),
		Formerly:         storeRequests(r.Formerly),
		Reason:           r.Reason,
		Why:              storeAskReason(r.Why),
		Mode:             r.Mode,
	}
}

// storeAskReason is nil for a reason that says nothing, as in records of before.
func storeAskReason(r messages.AskReason) *storev1.AskReason {
	if r == (messages.AskReason{}) {
		return nil
	}
	return &storev1.AskReason{
		ParentToolUse: r.ParentToolUse, DisplayName: r.DisplayName, Title: r.Title, Reason: r.Reason, ReasonType: r.ReasonType,
		BlockedPath: r.BlockedPath, MatchedRule: r.MatchedRule, NoSessionGrant: r.NoSessionGrant, DefaultToNo: r.DefaultToNo,
	}
}

func loadAskReason(r *storev1.AskReason) messages.AskReason {
	return messages.AskReason{
		ParentToolUse: r.GetParentToolUse(), DisplayName: r.GetDisplayName(), Title: r.GetTitle(), Reason: r.GetReason(), ReasonType: r.GetReasonType(),
		BlockedPath: r.GetBlockedPath(), MatchedRule: r.GetMatchedRule(), NoSessionGrant: r.GetNoSessionGrant(), DefaultToNo: r.GetDefaultToNo(),
	}
}

func loadPermission(id messages.SessionID, request string, p *storev1.Permission) messages.PermissionRecord {
	return messages.PermissionRecord{
		Request:         messages.RequestID(request),
		Session:         id,
		Run:             messages.RunNumber(p.GetRun()),
		Seq:             messages.Seq(p.GetSeq()),
		Tool:            p.GetTool(),
		ToolUse:         p.GetToolUse(),
		Agent:           p.GetAgent(),
		Description:     p.GetDescription(),
		Input:           p.GetInput(),
		Suggestions:     p.GetSuggestions(),
		Applied:         p.GetApplied(),
		Question:        p.GetQuestion(),
		ReceivedAt:      loadTime(p.GetReceivedAt()),
		ForwardedAt:     loadTime(p.GetForwardedAt()),
		ExpiresAt:       loadTime(p.GetExpiresAt()),
		LastExtendedAt:  loadTime(p.GetLastExtendedAt()),
		ExtensionCount:  p.GetExtensionCount(),
		Reminder1hSent:  p.GetReminder_1HSent(),
		Reminder24hSent: p.GetReminder_24HSent(),
		Decision:        messages.Decision(p.GetDecision()),
		DecidedAt:       loadTime(p.GetDecidedAt()),
		DecidedBy:       p.GetDecidedBy(),
		Message:         p.GetMessage(),
		Updated:         p.GetUpdated(),
		Answers:         p.GetAnswers(),
		OrphanedAt:      loadTime(p.GetOrphanedAt()),
		Formerly:        loadRequests(p.GetFormerly()),
		Reason:          p.GetReason(),
		Why:             loadAskReason(p.GetWhy()),
		Mode:            p.GetMode(),
	}
}

func storeRequests(ids []messages.RequestID) []string {
	var names []string
	for _, id := range ids {
		names = append(names, string(id))
	}
	return names
}

func loadRequests(names []string) []messages.RequestID {
	var ids []messages.RequestID
	for _, name := range names {
		ids = append(ids, messages.RequestID(name))
	}
	return ids
}

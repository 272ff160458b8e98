package record

import (
	"betcode/messages"
	storev1 "betcode/proto/betcode/store/v1"
)

// The translations of inputs and permission requests.

// StoreInput encodes the parts of an input that change.
func StoreInput(r *messages.InputRecord) *storev1.Input {
	return &storev1.Input{
		Version: RecordVersion,
		Seq:     uint64(r.Seq),
		Client:  string(r.Client),
		State:   uint32(r.State),
		Run:     uint64(r.Run),
		At:      StoreTime(r.At),
		Number:  r.Number,
	}
}

// StoreBody encodes the part of an input that is written once: text and attachments.
func StoreBody(r *messages.InputRecord) *storev1.Body {
	body := &storev1.Body{Version: RecordVersion, Content: r.Content}
	for _, a := range r.Attachments {
		body.Attachments = append(body.Attachments,
			&storev1.Attachment{Filename: a.Filename, MimeType: a.MimeType, Data: a.Data})
	}
	return body
}

// LoadInput is the inverse of StoreInput and StoreBody.
func LoadInput(key string, i *storev1.Input, body *storev1.Body) messages.InputRecord {
	r := messages.InputRecord{
		Key:     key,
		Seq:     messages.Seq(i.GetSeq()),
		Content: body.GetContent(),
		Client:  messages.ClientID(i.GetClient()),
		State:   messages.InputState(i.GetState()),
		Run:     messages.RunNumber(i.GetRun()),
		At:      LoadTime(i.GetAt()),
		Number:  i.GetNumber(),
	}
	for _, a := range body.GetAttachments() {
		r.Attachments = append(r.Attachments,
			messages.Attachment{Filename: a.GetFilename(), MimeType: a.GetMimeType(), Data: a.GetData()})
	}
	return r
}

// StorePermission encodes a permission request, without its session and id.
func StorePermission(r *messages.PermissionRecord) *storev1.Permission {
	return &storev1.Permission{
		Version:          RecordVersion,
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
		ReceivedAt:       StoreTime(r.ReceivedAt),
		ForwardedAt:      StoreTime(r.ForwardedAt),
		ExpiresAt:        StoreTime(r.ExpiresAt),
		LastExtendedAt:   StoreTime(r.LastExtendedAt),
		ExtensionCount:   r.ExtensionCount,
		Reminder_1HSent:  r.Reminder1hSent,
		Reminder_24HSent: r.Reminder24hSent,
		Decision:         uint32(r.Decision),
		DecidedAt:        StoreTime(r.DecidedAt),
		DecidedBy:        r.DecidedBy,
		Message:          r.Message,
		Updated:          r.Updated,
		Answers:          r.Answers,
		OrphanedAt:       StoreTime(r.OrphanedAt),
		Formerly:         storeRequests(r.Formerly),
		Reason:           r.Reason,
		Why:              storeAskReason(r.Why),
		Mode:             r.Mode,
		Budget:           string(r.Budget),
		Sent:             r.Sent,
	}
}

// storeAskReason returns nil for an empty reason, as in records of older builds.
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

// LoadPermission is the inverse of StorePermission.
func LoadPermission(id messages.SessionID, request string, p *storev1.Permission) messages.PermissionRecord {
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
		ReceivedAt:      LoadTime(p.GetReceivedAt()),
		ForwardedAt:     LoadTime(p.GetForwardedAt()),
		ExpiresAt:       LoadTime(p.GetExpiresAt()),
		LastExtendedAt:  LoadTime(p.GetLastExtendedAt()),
		ExtensionCount:  p.GetExtensionCount(),
		Reminder1hSent:  p.GetReminder_1HSent(),
		Reminder24hSent: p.GetReminder_24HSent(),
		Decision:        messages.Decision(p.GetDecision()),
		DecidedAt:       LoadTime(p.GetDecidedAt()),
		DecidedBy:       p.GetDecidedBy(),
		Message:         p.GetMessage(),
		Updated:         p.GetUpdated(),
		Answers:         p.GetAnswers(),
		OrphanedAt:      LoadTime(p.GetOrphanedAt()),
		Formerly:        loadRequests(p.GetFormerly()),
		Reason:          p.GetReason(),
		Why:             loadAskReason(p.GetWhy()),
		Mode:            p.GetMode(),
		Budget:          messages.Holding(p.GetBudget()),
		Sent:            p.GetSent(),
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

import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { anyCallRefusals, type FileBytes } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import { photoBytes, photoTypes, readPhoto, setPhoto, type User } from 'contract/users.ts';
import { type ChangeEvent, useEffect, useRef, useState } from 'react';
import { call, type Failure } from '#panel/shell/call.ts';
import { useMe } from '#panel/shell/me.ts';
import { mutationFor } from '#panel/shell/query.ts';
import { Button } from '#panel/ui/button.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import { toastSuccess } from '#panel/ui/toast.ts';
import { userQuery } from './api.ts';
import './photo.css';

type Props = { user: User; editing: boolean };

/** The photo of a user, with a button to replace it in edit mode. */
export function UserPhoto({ user, editing }: Props) {
  return (
    <div className="user-photo">
      <Face key={user.id} user={user} />
      {editing && <ReplacePhoto id={user.id} />}
    </div>
  );
}

/** The key contains the digest of the photo, so a cached photo never becomes stale. */
const photoQuery = ({ id, photo }: User) =>
  queryOptions<FileBytes, Failure>({
    queryKey: ['users', readPhoto.url, id, photo],
    queryFn: ({ signal }) => call(readPhoto, { params: { id } }, signal),
    enabled: photo !== null,
    staleTime: 'static',
    placeholderData: keepPreviousData,
  });

function Face({ user }: { user: User }) {
  const { data } = useQuery(photoQuery(user));
  if (user.photo !== null && data instanceof Blob) return <Picture of={user.username} bytes={data} />;
  return (
    <span className="user-face" aria-hidden>
      {user.username.replaceAll(/[^\p{L}\p{N}]/gu, '').slice(0, 2)}
    </span>
  );
}

/** Revokes the object URL when the photo is no longer shown. */
function Picture({ of, bytes }: { of: string; bytes: Blob }) {
  const image = useRef<HTMLImageElement>(null);
  useEffect(() => {
    const url = URL.createObjectURL(bytes);
    if (image.current) image.current.src = url;
    return () => URL.revokeObjectURL(url);
  }, [bytes]);
  return <img ref={image} className="user-face" alt={of} width={64} height={64} />;
}

const notAnImage = 'The photo must be an image file.';
const tooLarge = `The photo must be at most ${photoBytes / 1024 / 1024} MB.`;

/** Checks the type that the file name suggests. The server checks the content. */
function refusePhoto({ type, size }: File) {
  if (!type.startsWith('image/')) return notAnImage;
  if (!photoTypes.some((allowed) => allowed === type)) return setPhoto.refusals[422].NotAPhoto;
  return size > photoBytes ? tooLarge : undefined;
}

function ReplacePhoto({ id }: { id: string }) {
  const denied = holds(useMe(), 'users.write') ? undefined : anyCallRefusals[403].PermissionDenied;
  const input = useRef<HTMLInputElement>(null);
  const [refused, setRefused] = useState<string>();
  const replacing = useReplacePhoto();
  const choose = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const file = currentTarget.files?.[0];
    // Without a reset, choosing the same file again would not fire a change event.
    currentTarget.value = '';
    if (!file) return;
    const refusal = refusePhoto(file);
    setRefused(refusal);
    replacing.reset();
    if (!refusal) replacing.mutate({ params: { id }, file });
  };
  const wrong = refused ?? replacing.error?.message;
  return (
    <div className="user-photo-replace">
      <input ref={input} type="file" accept="image/*" aria-label="Photo" hidden onChange={choose} />
      <Button
        variant="default"
        size="xs"
        loading={replacing.isPending}
        disabledReason={denied}
        onClick={() => input.current?.click()}
      >
        Replace photo
      </Button>
      {wrong && (
        <Notice tone="bad" reference={refused ? undefined : replacing.error?.reference}>
          {wrong}
        </Notice>
      )}
    </div>
  );
}

function useReplacePhoto() {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(setPhoto),
    onSuccess: ({ user }) => {
      queryClient.setQueryData(userQuery(user.id).queryKey, { user });
      toastSuccess('Photo replaced');
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['users'] }),
  });
}
